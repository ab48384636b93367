// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The storm: elements are created, deleted and moved at random while messages, broadcasts and reductions run. Every
// message is delivered once or refused with an error; every element has every broadcast of its life once and in order;
// every reduction has every living element once. Also where processes leave and join between the parts of the storm.
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::storm_cases {
namespace {

using namespace starling::array;

/// What happened on this process.
struct Tally {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t refused = 0;
  std::int64_t sent_sum = 0;  // of the messages' numbers, and so below
  std::int64_t received_sum = 0;
  std::int64_t refused_sum = 0;
  std::int64_t born = 0;
  std::int64_t died = 0;
  std::int64_t out_of_order = 0;
  std::int64_t results = 0;
  std::int64_t living = 0;  // at the end of a part, on the process that counted them
  std::int64_t other_errors = 0;
};
thread_local Tally tally;
thread_local std::mt19937_64 chance;
thread_local std::int64_t next_number = 0;

bool one_in(unsigned many) { return chance() % many == 0; }

class Drop : public Element<Drop, std::int64_t> {
 public:
  Drop() = default;
  Drop(int last_wave, const Callback<long>& owed, std::vector<int> luggage)
      : last_wave_(last_wave), luggage_(std::move(luggage)) {
    if (owed.destination != detail::Callback::Destination::kNone) contribute(1L, Sum{}, owed);
  }

  void take(int generations, std::int64_t number, const std::vector<int>& load, int originals) {
    ++tally.received;
    tally.received_sum += number;
    for (const int each : load) tally.out_of_order += each == static_cast<int>(number % 1000) ? 0 : 1;
    for (int i = 0; i < 2 && generations > 0; ++i) {
      if (i == 0 || one_in(3)) send_random(array(), generations - 1, originals);
    }
    if (one_in(6)) bear({});
    act();
  }

  void wave(int number, const Callback<long>& result) {
    tally.out_of_order += number == last_wave_ + 1 ? 0 : 1;
    last_wave_ = number;
    if (one_in(10)) bear(result);  // the child has a part in this reduction
    if (one_in(20) && index() >= kFirstChild) {
      ++tally.died;
      return destroy();
    }
    contribute(1L, Sum{}, result);
    if (one_in(10)) bear({});  // this one from the next on
    act();
  }

  void census(const Callback<long>& result) { contribute(1L, Sum{}, result); }

  static void send_random(const Array<Drop>& all, int generations, int originals) {
    const auto to = static_cast<std::int64_t>(chance() % static_cast<std::uint64_t>(originals));
    const std::int64_t number = ++next_number;
    ++tally.sent;
    tally.sent_sum += number;
    const std::size_t size = one_in(50) ? 20000 : chance() % 8;
    const std::vector<int> load(size, static_cast<int>(number % 1000));
    all[to].at_priority(one_in(4) ? -1 : 0).send<&Drop::take>(generations, number, load, originals);
  }

  void serialize(Archive& archive) { archive(last_wave_, children_, luggage_); }

  static constexpr std::int64_t kFirstChild = 1000000;

 private:
  void bear(const Callback<long>& owed) {
    if (children_ == 3 || index() >= kFirstChild) return;
    const std::int64_t name = kFirstChild + index() * 4 + children_++;
    ++tally.born;
    array()[name].create_on(static_cast<int>(chance() % static_cast<unsigned>(session().size())), last_wave_, owed,
                            std::vector<int>(one_in(20) ? 5000 : 3, 1));
  }
  void act() {
    if (one_in(4)) migrate_to(static_cast<int>(chance() % static_cast<unsigned>(session().size())));
    if (one_in(60) && index() >= kFirstChild) {
      ++tally.died;
      destroy();
    }
  }

  int last_wave_ = 0;
  int children_ = 0;
  std::vector<int> luggage_;
};

thread_local std::vector<long> result_counts;
void note_result(Session&, long count) {
  ++tally.results;
  result_counts.push_back(count);
}

Tally total_of(const Tally& mine) {
  static_assert(sizeof(Tally) % sizeof(std::int64_t) == 0);
  Tally total = mine;
  add_up({reinterpret_cast<std::int64_t*>(&total), sizeof(Tally) / sizeof(std::int64_t)});
  return total;
}

/// What main does in one part: waves from `first` on.
void blow(Session& session, const Array<Drop>& all, int originals, int first, int waves) {
  if (first == 1) {
    for (int i = 0; i < originals; ++i) {
      all[i].create_on(static_cast<int>(chance() % static_cast<unsigned>(session.size())));
      ++tally.born;
    }
    session.quiesce();
  }
  for (int number = first; number < first + waves; ++number) {
    for (int i = 0; i < originals / 4; ++i) Drop::send_random(all, 4, originals);
    if (number % 4 != 0) {
      all.broadcast<&Drop::wave>(number, to_function<&note_result, long>(number % session.size()));
      continue;
    }
    Future<long> counted(session);
    all.broadcast<&Drop::wave>(number, counted);
    result_counts.push_back(counted.get());
    ++tally.results;
  }
  session.quiesce();
  Future<long> counted(session);
  all.broadcast<&Drop::census>(counted);
  tally.living = counted.get();
}

void check(Job& world, int originals, int waves) {
  const Tally total = total_of(tally);
  CHECK_EQ(total.other_errors, 0);
  CHECK_EQ(total.out_of_order, 0);
  CHECK_EQ(total.received + total.refused, total.sent);
  CHECK(total.refused > 0 || total.received_sum == total.sent_sum);
  CHECK_EQ(total.results, waves);
  CHECK(total.born > originals);
  CHECK_EQ(total.living, total.born - total.died);
  for (const long count : result_counts) CHECK(count > 0 && count <= total.born);
}

void storm(Job& world, int originals, int waves, bool restless, int parts) {
  tally = {};
  result_counts.clear();
  chance = world.generator(static_cast<std::uint64_t>(world.rank) + 1);
  next_number = world.rank * (std::int64_t{1} << 40);
  std::mt19937_64 drawn = world.generator();
  std::unique_ptr<Session> session;
  std::optional<Array<Drop>> all;
  for (int part = 0; part < parts; ++part) {
    const Crew crew = part == 0 ? Crew{true, world.size, everybody()} : drawn_crew(world, drawn, session != nullptr);
    if (become(session, crew, part == 0)) {
      session->set_restless(restless);
      session->on_error([](const std::string& error) {
        if (error.find("take to element") == std::string::npos) ++tally.other_errors;
        ++tally.refused;
      });
      all.emplace(*session);
    }
    tally.living = 0;
    if (session != nullptr) session->run([&] { blow(*session, *all, originals, part * waves + 1, waves); });
    if (part != 0) release(crew.comm);
    check(world, originals, (part + 1) * waves);
  }
}

CASE("a storm: every message, broadcast and contribution once while elements come, go and move", 1, 8) {
  storm(world, 100, 24, false, 1);
}

CASE("a storm in which every element moves whenever it has worked", 2, 8) { storm(world, 40, 12, true, 1); }

CASE("a storm between whose parts processes leave and join", 1, 8) { storm(world, 60, 6, world.seed % 3 == 0, 5); }

}  // namespace
}  // namespace starling::tests::storm_cases
