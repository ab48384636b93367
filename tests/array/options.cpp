// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How the elements of an array are found and reached: each of ArrayOptions.
#include <algorithm>
#include <array>
#include <chrono>
#include <starling/array/element.hpp>
#include <string>
#include <thread>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::options_cases {
namespace {

using namespace starling::array;

class Cell : public Element<Cell> {
 public:
  int where() const { return rank(); }
  void add(int more) { value_ += more; }
  int value() const { return value_; }
  void count(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void move(int to) { migrate_to(to); }
  void end() { destroy(); }
  void serialize(Archive& archive) { archive(value_); }

 private:
  int value_ = 0;
};

struct Tile : Element<Tile, Extents<2>> {
  int where() const { return rank(); }
  void serialize(Archive& /*archive*/) {}
};

struct Named : Element<Named, std::string> {
  int where() const { return rank(); }
  void serialize(Archive& /*archive*/) {}
};

/// Of all processes.
std::int64_t sum_of(std::int64_t mine) {
  std::array<std::int64_t, 1> sum{mine};
  add_up(sum);
  return sum[0];
}

CASE("an element is at home, and begins, where the program's map says", 1, 8) {
  Session session(everybody());
  Array<Cell> sparse(session, {.home = [](int index, int ranks) { return index / 3 % ranks; }});
  Array<Cell> dense(session, 20, {.home = [](int index, int ranks) { return index % ranks; }});
  Array<Tile> tiles(session, Extents<2>{4, 4}, {.home = [](const Extents<2>& at, int ranks) { return at[1] % ranks; }});
  Array<Named> named(session, {.home = [](const std::string& name, int ranks) { return name[0] % ranks; }});
  session.run([&] {
    for (int i = 0; i < 20; ++i) {
      sparse[i].create();
      CHECK_EQ(sparse[i].call<&Cell::where>().get(), i / 3 % world.size);
      CHECK_EQ(dense[i].call<&Cell::where>().get(), i % world.size);
      const std::string name(1, static_cast<char>('a' + i));
      named[name].create();
      CHECK_EQ(named[name].call<&Named::where>().get(), ('a' + i) % world.size);
      const Extents<2> at{i / 4 % 4, i % 4};
      CHECK_EQ(tiles[at].call<&Tile::where>().get(), i % 4 % world.size);
    }
  });
}

CASE("a map that leads to no process is an error that names index and process", 1, 2) {
  Session session(everybody());
  Array<Cell> cells(session, {.home = [](int index, int ranks) { return index == 7 ? ranks : 0; }});
  std::string said;
  try {
    session.run([&] { cells[7].create(); });
  } catch (const Error& error) {
    said = error.what();
  }
  CHECK(said.find("element 7") != std::string::npos);
  CHECK(said.find("process " + std::to_string(world.size) + " by the program's map") != std::string::npos);
}

CASE("options that cannot be are refused", 1, 2) {
  Session session(everybody());
  const auto refuses = [&](const ArrayOptions<int>& options) {
    try {
      const Array<Cell> cells(session, options);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  CHECK(refuses({.homes = 0}));
  CHECK(refuses({.cached_for_s = -1}));
  CHECK(refuses({.branches = 1}));
  CHECK(refuses({.branches = 17}));
}

/// First messages of process 0 to elements that moved from their home, process 1, to the last: how many are sent on.
std::int64_t forwarded_with(Job& world, int homes, int* told) {
  Session session(everybody());
  constexpr int kElements = 40;
  Array<Cell> cells(session, {.home = [](int, int) { return 1; }, .homes = homes});
  session.run([&] {
    for (int i = 0; i < kElements; ++i) cells[i].create_on(1);
    session.quiesce();
    for (int i = 0; i < kElements; ++i) cells[i].send<&Cell::move>(session.size() - 1);
  });
  *told = static_cast<int>(session.counters().messages_sent);
  const std::uint64_t before = session.counters().messages_forwarded;
  meet();
  session.run([&] {
    for (int i = 0; i < kElements; ++i) cells[i].send<&Cell::add>(1);
  });
  const std::int64_t forwarded = sum_of(static_cast<std::int64_t>(session.counters().messages_forwarded - before));
  session.run([&] {
    for (int i = 0; i < kElements; ++i) CHECK_EQ(cells[i].call<&Cell::value>().get(), 1);
  });
  return forwarded;
}

CASE("with as many homes as processes a first message needs nobody to send it on", 3, 8) {
  int told_by_one = 0;
  int told_by_all = 0;
  CHECK_EQ(forwarded_with(world, 1, &told_by_one), 40);
  CHECK_EQ(forwarded_with(world, world.size, &told_by_all), 0);
  if (world.rank == 1) CHECK(told_by_all >= told_by_one + 2 * 40 * (world.size - 2));
}

/// Messages that are sent on once the places of 60 elements were learned, and a pause, and others learned.
std::int64_t forwarded_again(Job& world, const ArrayOptions<int>& given, std::chrono::milliseconds pause) {
  Session session(everybody());
  constexpr int kFirst = 60;
  constexpr int kAll = 80;
  ArrayOptions<int> options = given;
  options.home = [](int, int) { return 1; };
  Array<Cell> cells(session, options);
  session.run([&] {
    for (int i = 0; i < kAll; ++i) cells[i].create_on(session.size() - 1);
    session.quiesce();
    const auto learn = [&](int from, int to) {
      for (int i = from; i < to; ++i) CHECK_EQ(cells[i].call<&Cell::where>().get(), session.size() - 1);
    };
    learn(0, kFirst);
    for (int i = kFirst; i < kAll; ++i) {  // what was used is kept once
      std::this_thread::sleep_for(pause);
      learn(i, i + 1);
    }
  });
  const std::uint64_t before = session.counters().messages_forwarded;
  meet();
  session.run([&] {
    for (int i = 0; i < kFirst; ++i) cells[i].send<&Cell::add>(1);
  });
  return sum_of(static_cast<std::int64_t>(session.counters().messages_forwarded - before));
}

CASE("as many places as are allowed are remembered, as long as is allowed", 3, 8) {
  using std::chrono::milliseconds;
  CHECK_EQ(forwarded_again(world, {}, milliseconds(0)), 0);
  CHECK(forwarded_again(world, {.cached_places = 10}, milliseconds(0)) >= 50);
  CHECK_EQ(forwarded_again(world, {.cached_for_s = 1000}, milliseconds(2)), 0);
  CHECK_EQ(forwarded_again(world, {.cached_for_s = 1e-3}, milliseconds(2)), 60);
}

CASE("broadcasts and reductions go over trees of 2 to 16 branches", 1, 8) {
  for (int branches = 2; branches <= 16; ++branches) {
    Session session(everybody());
    Array<Cell> cells(session, 30, {.branches = branches});
    constexpr int kRounds = 20;  // fewer than those after which processes report how far they are
    const std::uint64_t before = session.counters().messages_sent;
    session.run([&] {
      for (int round = 1; round <= kRounds; ++round) cells.broadcast<&Cell::add>(round);
      session.quiesce();
    });
    const auto sent = static_cast<int>(session.counters().messages_sent - before);
    if (world.rank == 0) CHECK_EQ(sent, kRounds * std::min(branches, world.size - 1));
    session.run([&] {
      for (int round = 1; round <= kRounds; ++round) {
        Future<long> all(session);
        cells.broadcast<&Cell::count>(all);
        CHECK_EQ(all.get(), 30);
      }
      for (int i = 0; i < 30; ++i) CHECK_EQ(cells[i].call<&Cell::value>().get(), kRounds * (kRounds + 1) / 2);
    });
  }
}

CASE("a broadcast costs its root as many records as it has branches, however many processes there are", 4, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 2 * world.size, {.branches = 2});
  constexpr int kBroadcasts = 640;
  constexpr int kReports = kBroadcasts / 32;
  const Session::Counters before = session.counters();
  session.run([&] {
    for (int i = 0; i < kBroadcasts; ++i) cells.broadcast<&Cell::add>(1);
    session.quiesce();
  });
  const Session::Counters after = session.counters();
  if (world.rank == 0) {
    CHECK_EQ(after.messages_sent - before.messages_sent, 2u * kBroadcasts);
    CHECK_EQ(after.messages_received - before.messages_received, 2u * kReports);
  }
}

/// Records between processes that `body`, on process 0, causes.
template <class Body>
std::int64_t records_of(Session& session, Body&& body) {
  const std::uint64_t before = session.counters().messages_sent;
  meet();
  session.run(body);
  return sum_of(static_cast<std::int64_t>(session.counters().messages_sent - before));
}

// To make or delete one element takes one record, to move one takes two. What says to a process that it may forget
// the element is one record for many: for those that the home deals with in one step.
CASE("a creation and a deletion cost one record, a move two, and many share one that confirms", 3, 8) {
  Session session(everybody());
  constexpr int kElements = 200;
  Array<Cell> cells(session, {.home = [](int, int) { return 1; }});
  const auto cost_of = [&](auto&& act) {
    return records_of(session, [&] {
      for (int i = 0; i < kElements; ++i) act(cells[i]);
    });
  };
  constexpr std::int64_t kAsked = kElements;  // main's message to each
  const auto check = [&](std::int64_t cost, std::int64_t of_each) {
    CHECK(cost >= of_each * kElements);
    CHECK(cost <= of_each * kElements + kElements / 5);
  };
  check(cost_of([](auto cell) { cell.create(); }), 1);
  check(cost_of([](auto cell) { cell.template send<&Cell::move>(2); }) - kAsked,
        2);                                                       // to which the home itself says it
  cost_of([](auto cell) { cell.template send<&Cell::add>(1); });  // main learns where they are
  CHECK_EQ(cost_of([](auto cell) { cell.template send<&Cell::add>(1); }), kAsked);
  check(cost_of([](auto cell) { cell.template send<&Cell::move>(0); }) - kAsked, 2);
  check(cost_of([](auto cell) { cell.template send<&Cell::end>(); }), 1);  // which are with main now
  CHECK_EQ(records_of(session, [&] { cells[0].create(); }), 2);            // a single one has one of its own
}

}  // namespace
}  // namespace starling::tests::options_cases
