// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sections and messages in order, while elements move and die.
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"
#include "support/clocks.hpp"

namespace starling::tests::sections_cases {
namespace {

using namespace starling::array;

/// What happened on this process.
struct Seen {
  std::int64_t waves = 0;
  std::int64_t out_of_order = 0;
  std::int64_t died[3] = {};
  std::int64_t errors = 0;
};
thread_local Seen seen;
thread_local std::mt19937_64 chance;

bool one_in(unsigned many) { return chance() % many == 0; }

struct Member : Element<Member> {
  /// Belongs to section s if its index is a multiple of s + 2.
  void wave(int which, int number, const Section<Member>& section, const Callback<long>& result) {
    ++seen.waves;
    int& last = last_[static_cast<std::size_t>(which)];
    seen.out_of_order += number == last + 1 ? 0 : 1;
    last = number;
    if (index() > 0 && one_in(40)) {
      for (int s = 0; s < 3; ++s) seen.died[s] += index() % (s + 2) == 0 ? 1 : 0;
      return destroy();
    }
    contribute(section, 1L, Sum{}, result);
    if (one_in(3)) migrate_to(static_cast<int>(chance() % static_cast<unsigned>(session().size())));
  }
  void all(const Section<Member>& section, const Future<long>& result) { contribute(section, 1L, Sum{}, result); }
  void most(const Section<Member>& section, const Future<long>& result) {
    if (index() != 3) contribute(section, 1L, Sum{}, result);
  }
  void mixed(const Section<Member>& section, const Future<long>& result) {
    if (index() % 2 == 0) {
      contribute(section, 1L, Sum{}, result);
    } else {
      contribute(section, 1L, Max{}, result);
    }
  }
  void serialize(Archive& archive) { archive(last_); }

 private:
  std::array<int, 3> last_{};
};

Seen total_of(const Seen& mine) {
  Seen total = mine;
  add_up({reinterpret_cast<std::int64_t*>(&total), sizeof(Seen) / sizeof(std::int64_t)});
  return total;
}

constexpr int kElements = 60;

/// Waves over three sections whose members move and die meanwhile; `results` has the members that are left.
void run_waves(Job& world, Session& session, const Array<Member>& members, std::int64_t (&results)[3]) {
  constexpr int kWaves = 20;
  Section<Member> sections[3];
  for (int s = 0; s < 3; ++s) {
    std::vector<int> indices{0};  // named twice
    for (int i = 0; i < kElements; i += s + 2) indices.push_back(i);
    sections[s] = Section<Member>(members, indices);
  }
  session.quiesce();  // all have joined
  std::vector<Future<long>> all;
  for (int number = 1; number <= kWaves; ++number) {
    for (int s = 0; s < 3; ++s) {
      all.emplace_back(session);
      sections[s].broadcast<&Member::wave>(s, number, sections[s], all.back());
    }
  }
  long before[3] = {kElements, kElements, kElements};
  for (int i = 0; i < 3 * kWaves; ++i) {
    const long count = all[static_cast<std::size_t>(i)].get();
    CHECK(count <= before[i % 3]);  // members die, none comes
    before[i % 3] = count;
  }
  session.quiesce();
  for (int s = 0; s < 3; ++s) {
    Future<long> count(session);
    sections[s].broadcast<&Member::all>(sections[s], count);
    results[s] = count.get();
    sections[s].dissolve();
  }
}

void sections_storm(Job& world, bool restless) {
  seen = {};
  chance = world.generator(static_cast<std::uint64_t>(world.rank) + 1);
  std::int64_t results[3] = {};
  {
    Session session(everybody());
    session.set_restless(restless);
    session.on_error([](const std::string&) { ++seen.errors; });
    Array<Member> members(session, kElements);
    session.run([&] { run_waves(world, session, members, results); });
  }
  const Seen total = total_of(seen);
  CHECK_EQ(total.errors, 0);
  CHECK_EQ(total.out_of_order, 0);
  if (world.rank != 0) return;
  for (int s = 0; s < 3; ++s) CHECK_EQ(results[s], (kElements + s + 1) / (s + 2) - total.died[s]);
}

CASE("a section's broadcasts and reductions have each member once while members move and die", 1, 8) {
  sections_storm(world, false);
}
CASE("the same where every member moves whenever it has worked", 2, 8) { sections_storm(world, true); }

CASE("a section whose members all die on some processes still completes, and an empty one answers nobody", 1, 8) {
  Session session(everybody());
  Array<Member> members(session, 4 * world.size);
  session.run([&] {
    std::vector<int> indices;
    for (int i = 0; i < 4 * world.size; ++i) indices.push_back(i);
    Section<Member> section(members, indices);
    for (int i = 1; i < 4 * world.size; ++i) members[i].destroy();
    for (int round = 0; round < 3; ++round) {
      Future<long> count(session);
      section.broadcast<&Member::all>(section, count);
      const long there = count.get();
      CHECK(there >= 1 && there <= 4 * world.size);
      session.quiesce();
      if (round > 0) CHECK_EQ(there, 1);
    }
    const Section<Member> late(members, indices);  // of one that lives
    Future<long> count(session);
    late.broadcast<&Member::all>(late, count);
    CHECK_EQ(count.get(), 1);
    Section<Member> nobody(members, {});
    Future<long> never(session);
    nobody.broadcast<&Member::all>(nobody, never);
    session.quiesce();
    CHECK(!never.ready());
  });
}

CASE("a member that does not contribute, a stranger and a mixed operator are named", 1, 8) {
  std::string errors;
  Session session(everybody());
  session.set_patience(0.05);
  session.on_error([&](const std::string& error) { errors += error + "\n"; });
  Array<Member> members(session, 8);
  session.run([&] {
    const Section<Member> section(members, {1, 2, 3});
    Future<long> first(session);
    section.broadcast<&Member::all>(section, first);
    CHECK_EQ(first.get(), 3);
    members[7].send<&Member::all>(section, first);
    Future<long> second(session);
    section.broadcast<&Member::mixed>(section, second);
    session.quiesce();
    Future<long> third(session);
    section.broadcast<&Member::most>(section, third);
    const double begin_s = shared_clock_s();
    while (shared_clock_s() < begin_s + 0.3) session.quiesce();
  });
  std::vector<int> found(3);
  found[0] = errors.find("element 7 of array 0") != std::string::npos && errors.find("no member") != std::string::npos;
  found[1] = errors.find("another operator") != std::string::npos;
  found[2] = errors.find("element 3 of array 0") != std::string::npos && errors.find("0.05") != std::string::npos;
  find_most(found);
  for (const int each : found) CHECK_EQ(each, 1);
}

struct Speaker : Element<Speaker> {
  void speak(int to, int count) {
    for (int i = 0; i < 5 && count > 0; ++i, --count) {
      const Target<Speaker> other = array()[to].in_order();
      other.at_priority(one_in(4) ? -1 : 0)
          .send<&Speaker::hear>(index(), ++said_[to], std::string(one_in(9) ? 20000 : 3, 'x'));
    }
    if (count > 0) array()[index()].send<&Speaker::speak>(to, count);
    if (one_in(2)) migrate_to(static_cast<int>(chance() % static_cast<unsigned>(session().size())));
  }
  void hear(int from, int number, const std::string& text) {
    seen.out_of_order += number == ++heard_[from] && !text.empty() ? 0 : 1;
    if (one_in(2)) migrate_to(static_cast<int>(chance() % static_cast<unsigned>(session().size())));
  }
  long count() {
    long sum = 0;
    for (const auto& [from, many] : heard_) sum += many;
    return sum;
  }
  void serialize(Archive& archive) { archive(said_, heard_); }

 private:
  std::map<int, int> said_;
  std::map<int, int> heard_;
};

CASE("messages in order stay in order however sender and receiver move", 1, 8) {
  seen = {};
  chance = world.generator(static_cast<std::uint64_t>(world.rank) + 77);
  {
    Session session(everybody());
    Array<Speaker> speakers(session, 12);
    session.run([&] {
      for (int i = 0; i < 12; ++i) {
        for (int j = 0; j < 3; ++j) speakers[i].send<&Speaker::speak>((i + j + 1) % 12, 100);
      }
      for (int number = 1; number <= 200; ++number) {
        speakers[number % 2].in_order().send<&Speaker::hear>(-1, (number + 1) / 2, "from main");
      }
      session.quiesce();
      long heard = 0;
      for (int i = 0; i < 12; ++i) heard += speakers[i].in_order().call<&Speaker::count>().get();
      CHECK_EQ(heard, 12 * 3 * 100 + 200);
    });
  }
  CHECK_EQ(total_of(seen).out_of_order, 0);
}

}  // namespace
}  // namespace starling::tests::sections_cases
