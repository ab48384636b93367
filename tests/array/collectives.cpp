// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts and reductions: each element once, while elements come, go and move.
#include <array>
#include <starling/array/element.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::collectives_cases {
namespace {

using namespace starling::array;

struct Longest {
  void operator()(std::string& into, const std::string& value) const {
    if (value.size() > into.size()) into = value;
  }
};

class Cell : public Element<Cell> {
 public:
  Cell() = default;
  explicit Cell(int step) : steps_(step) {}
  void sum(const Future<long>& to) { contribute(index() + 1, Sum{}, to); }
  void all(const Future<std::tuple<long, double, std::string>>& to) {
    contribute(std::tuple(1L, 0.5 * index(), std::string(static_cast<unsigned>(index()), 'x')),
               EachOf<Sum, Max, Longest>{}, to);
  }
  void extremes(const Future<std::vector<int>>& to) { contribute(std::vector<int>{index(), -index()}, Min{}, to); }
  void flags(const Future<std::array<unsigned, 3>>& to) {
    contribute(std::array<unsigned, 3>{1u << index(), 7u, 1u}, BitOr{}, to);
  }
  void gather(const Future<std::vector<int>>& to) { contribute(std::vector<int>{index()}, Concat{}, to); }
  void ready(const Future<void>& to) { contribute(to); }
  void chain(int rounds) {
    if (rounds == 0) return;
    contribute(rounds - 1, Max{}, array().to_all<&Cell::chain>());
    ++steps_;
  }
  void to_element(int which) { contribute(1L, Sum{}, array()[which].to<&Cell::got>()); }
  void got(long value) { got_ += value; }
  long what_it_got() { return got_; }
  void step(int number) {
    steps_ += number == steps_ + 1 ? 1 : 1000;  // each broadcast once and in order
    if (number % 3 == index() % 3) migrate_to((rank() + 1 + number % 2) % session().size());
  }
  void count_steps(int expected, const Future<long>& to) { contribute(steps_ == expected ? 1L : 0L, Sum{}, to); }
  void serialize(Archive& archive) { archive(got_, steps_); }

 private:
  long got_ = 0;
  int steps_ = 0;
};

CASE("a reduction has the value of each element once, with every kind of operator", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 21);
  session.run([&] {
    Future<long> sum(session);
    cells.broadcast<&Cell::sum>(sum);
    CHECK_EQ(sum.get(), 231);
    Future<std::tuple<long, double, std::string>> all(session);
    cells.broadcast<&Cell::all>(all);
    CHECK(all.get() == std::tuple(21L, 10.0, std::string(20, 'x')));
    Future<std::vector<int>> extremes(session);
    cells.broadcast<&Cell::extremes>(extremes);
    CHECK(extremes.get() == std::vector<int>({0, -20}));
    Future<std::array<unsigned, 3>> flags(session);
    cells.broadcast<&Cell::flags>(flags);
    CHECK(flags.get() == (std::array<unsigned, 3>{(1u << 21) - 1, 7u, 1u}));
    Future<std::vector<int>> gathered(session);
    cells.broadcast<&Cell::gather>(gathered);
    CHECK_EQ(gathered.get().size(), 21u);
    Future<void> ready(session);
    cells.broadcast<&Cell::ready>(ready);
    ready.get();
  });
}

thread_local long received = 0;
void receive(Session&, long value) { received = value; }

struct Giver : Element<Giver> {
  void give(int to) { contribute(2L, Sum{}, to_function<&receive, long>(to)); }
};

CASE("results go to an element, to all elements, or to a function", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 9);
  Array<Giver> givers(session, 5);
  received = 0;
  session.run([&] {
    cells.broadcast<&Cell::to_element>(4);
    session.quiesce();
    CHECK_EQ(cells[4].call<&Cell::what_it_got>().get(), 9);
    cells.broadcast<&Cell::chain>(30);
    session.quiesce();
    Future<long> counted(session);
    cells.broadcast<&Cell::count_steps>(30, counted);
    CHECK_EQ(counted.get(), 9);
    givers.broadcast<&Giver::give>(world.size - 1);
  });
  CHECK_EQ(received, world.rank == world.size - 1 ? 10 : 0);
}

CASE("elements on one process only, and none on most, reduce as well", 2, 8) {
  Session session(everybody());
  Array<Cell> cells(session);
  session.run([&] {
    for (int holder = 0; holder < world.size; ++holder) {
      for (int i = 0; i < 3; ++i) {
        if (holder == 0) cells[i].create_on(world.size - 1);
        cells[i].migrate_to(holder);
      }
      session.quiesce();
      for (int times = 0; times < 3; ++times) {
        Future<long> sum(session);
        cells.broadcast<&Cell::sum>(sum);
        CHECK_EQ(sum.get(), 6);
      }
    }
  });
}

CASE("every element has every broadcast once and in order while elements move", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 30);
  session.run([&] {
    for (int number = 1; number <= 200; ++number) cells.broadcast<&Cell::step>(number);
    Future<long> right(session);
    cells.broadcast<&Cell::count_steps>(200, right);
    CHECK_EQ(right.get(), 30);
  });
}

/// Elements that split and end between two reductions, each time.
class Splitting : public Element<Splitting> {
 public:
  Splitting() = default;
  Splitting(int generation, const Future<long>& to) : generation_(generation) { contribute(1L, Sum{}, to); }
  void grow(int generation, const Future<long>& to) {
    generation_ = generation;
    const int place = (index() * 7 + generation) % session().size();
    if (generation % 2 == 1) array()[index() * 2 + 1000000 * generation].create_on(place, generation, to);
    if (generation % 4 == 2 && index() >= 1000000) return destroy();
    contribute(1L, Sum{}, to);
    if (index() % 3 == 0) migrate_to(place);
  }
  void serialize(Archive& archive) { archive(generation_); }

 private:
  int generation_ = 0;
};

CASE("a reduction counts those that its contributors created before they contributed, and not those that ended", 1, 8) {
  Session session(everybody());
  Array<Splitting> all(session, 5);
  session.run([&] {
    long living = 5;
    for (int generation = 1; generation <= 6; ++generation) {
      if (generation % 2 == 1) living *= 2;
      if (generation % 4 == 2) living = 5;
      Future<long> count(session);
      all.broadcast<&Splitting::grow>(generation, count);
      CHECK_EQ(count.get(), living);
    }
  });
}

/// Each makes the next before it contributes itself; only the last contributes at once.
class Ancestor : public Element<Ancestor> {
 public:
  Ancestor() = default;
  Ancestor(int generations, const Future<long>& to) { descend(generations, to); }
  void go(int generations, const Future<long>& to) {
    if (index() == 0) return descend(generations, to);
    contribute(1L, Sum{}, to);
  }
  void finish(const Future<long>& to) { contribute(1L, Sum{}, to); }

 private:
  void descend(int generations, const Future<long>& to) {
    if (generations == 0) return contribute(1L, Sum{}, to);
    array()[100 * generations].create_on((rank() + 1) % session().size(), generations - 1, to);
  }
};

CASE("a newborn that contributes before those that it descends from does not stand in for them", 1, 8) {
  Session session(everybody());
  Array<Ancestor> all(session, 4);
  session.run([&] {
    Future<long> count(session);
    all.broadcast<&Ancestor::go>(3, count);
    session.quiesce();
    CHECK(!count.ready());
    for (const int each : {200, 0, 300}) {
      CHECK(!count.ready());
      all[each].send<&Ancestor::finish>(count);
      session.quiesce();
    }
    CHECK_EQ(count.get(), 7);
  });
}

CASE("past broadcasts are dropped once nobody can need them", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 4);
  session.run([&] {
    for (int number = 1; number <= 400; ++number) {
      cells.broadcast<&Cell::step>(number);
      if (number % 20 == 0) session.quiesce();
    }
  });
  CHECK(detail::kept_broadcasts(cells.core()) < 200);
}

}  // namespace
}  // namespace starling::tests::collectives_cases
