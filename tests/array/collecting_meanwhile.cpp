// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collections that go on while the program does: what could not be reached at the beginning is deleted, and only that,
// however indices are handed about meanwhile.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <starling/array/element.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::collecting_meanwhile_cases {
namespace {

using namespace starling::array;

using Indices = std::vector<int>;

thread_local std::mt19937_64 chance;
thread_local int born = 0;  // by elements of this process

std::size_t below(std::size_t bound) { return static_cast<std::size_t>(chance() % bound); }
bool one_in(std::size_t many) { return below(many) == 0; }
int taken_from(Indices& some) {
  const auto at = some.begin() + static_cast<std::ptrdiff_t>(below(some.size()));
  const int taken = *at;
  some.erase(at);
  return taken;
}

/// Keeps indices, forgets them, makes others and hands them on: what is in a message may be held by nobody else.
class Cell : public Element<Cell> {
 public:
  Cell() = default;
  explicit Cell(int last_wave) : last_wave_(last_wave) {}
  void hold(const Indices& others) { held_ = others; }
  int value() { return index(); }

  void walk(int hops, Indices luggage) {
    if (one_in(4)) luggage.push_back(made());
    go_on(hops, std::move(luggage));
  }
  /// What is carried is in nothing but the coroutine, while it waits.
  Task<> wait_and_walk(int hops, Indices luggage) {
    if (!luggage.empty()) {
      const int other = luggage[below(luggage.size())];
      wrong_ += co_await array()[other].call<&Cell::value>() == other ? 0 : 1;
    }
    go_on(hops, std::move(luggage));
  }

  void wave(int number) {
    wrong_ += number == last_wave_ + 1 ? 0 : 1;
    last_wave_ = number;
  }
  void flow(int number, const Section<Cell>& section, const Future<long>& to) {
    wrong_ += number == last_flow_ + 1 ? 0 : 1;
    last_flow_ = number;
    contribute(section, 1L, Sum{}, to);
  }
  void list(const Future<std::vector<Indices>>& to) {
    std::vector<Indices> mine{held_};
    mine[0].insert(mine[0].begin(), {index(), wrong_, last_wave_});
    contribute(mine, Concat{}, to);
  }
  void count(const Future<long>& to) { contribute(1L, Sum{}, to); }
  void move(int to) { migrate_to(to); }
  void references(References& holds) const {
    for (const int each : held_) holds(array()[each]);
  }
  void serialize(Archive& archive) { archive(held_, wrong_, last_wave_, last_flow_); }

 private:
  int made() {
    const int name = 1000 + born++ * session().size() + rank();
    array()[name].create_on(static_cast<int>(below(static_cast<std::size_t>(session().size()))), last_wave_);
    return name;
  }
  void go_on(int hops, Indices luggage) {
    if (!held_.empty() && one_in(2)) luggage.push_back(taken_from(held_));
    if (!held_.empty() && one_in(2)) luggage.push_back(held_[below(held_.size())]);
    if (hops == 0 || luggage.empty() || one_in(3)) held_.insert(held_.end(), luggage.begin(), luggage.end());
    while (held_.size() > 4) taken_from(held_);  // and forgotten
    Indices known = held_;
    known.insert(known.end(), luggage.begin(), luggage.end());
    if (one_in(6)) migrate_to(static_cast<int>(below(static_cast<std::size_t>(session().size()))));
    if (hops == 0 || known.empty()) return;
    const int next = known[below(known.size())];
    if (one_in(4)) {
      array()[next].send<&Cell::wait_and_walk>(hops - 1, luggage);
    } else if (one_in(3)) {
      array()[next].in_order().send<&Cell::walk>(hops - 1, luggage);
    } else {
      array()[next].send<&Cell::walk>(hops - 1, luggage);
    }
  }

  Indices held_;
  int wrong_ = 0;
  int last_wave_ = 0;
  int last_flow_ = 0;
};

std::vector<Indices> list_of(Session& session, const Array<Cell>& cells) {
  Future<std::vector<Indices>> all(session);
  cells.broadcast<&Cell::list>(all);
  return all.get();
}

struct Graph {
  std::map<int, Indices> held;
  int wrong = 0;
};

Graph graph_of(Session& session, const Array<Cell>& cells) {
  Graph graph;
  for (const Indices& each : list_of(session, cells)) {
    graph.held[each[0]] = Indices(each.begin() + 3, each.end());
    graph.wrong += each[1];
  }
  return graph;
}

std::set<int> reached(const Graph& graph, Indices front) {
  std::set<int> result;
  while (!front.empty()) {
    const int each = front.back();
    front.pop_back();
    const auto at = graph.held.find(each);
    if (at == graph.held.end() || !result.insert(each).second) continue;
    front.insert(front.end(), at->second.begin(), at->second.end());
  }
  return result;
}

constexpr int kFirst = 60;  // elements at the beginning
constexpr int kChain = 40;  // of these hold one another in a row, each on another process: marks take long to the end

void create_random(Session& session, const Array<Cell>& cells) {
  for (int i = 0; i < kFirst; ++i) cells[i].create_on(i % session.size());
  session.quiesce();
  for (int i = 0; i < kFirst; ++i) {
    Indices held;
    if (i < kChain) held.push_back(i + 1);
    for (std::size_t k = below(3); k > 0 && i >= kChain; --k) held.push_back(static_cast<int>(below(kFirst)));
    cells[i].send<&Cell::hold>(held);
  }
  session.quiesce();
}

/// Some of those that are there.
Indices some_of(const Graph& graph, int count) {
  Indices all;
  for (const auto& [index, held] : graph.held) all.push_back(index);
  Indices some;
  for (int i = 0; i < count && !all.empty(); ++i) some.push_back(taken_from(all));
  return some;
}

References as_roots(const Array<Cell>& cells, const Indices& names) {
  References roots;
  for (const int each : names) roots(cells[each]);
  return roots;
}

/// A collection, and elements that walk about meanwhile. Every message to one that was deleted would end the run.
void collect_in_a_storm(Job& world, Session& session, const Array<Cell>& cells, const Indices& roots, int& wave) {
  const Graph before = graph_of(session, cells);
  CHECK_EQ(before.wrong, 0);
  const std::set<int> kept = reached(before, roots);
  const Indices all_kept(kept.begin(), kept.end());
  Future<std::size_t> deleted = session.collect_meanwhile(as_roots(cells, roots));
  for (int i = 0; i < 12; ++i) {
    cells[all_kept[below(all_kept.size())]].send<&Cell::walk>(40, Indices{});
    if (i % 4 == 3 && one_in(2)) cells.broadcast<&Cell::wave>(++wave);
  }
  if (one_in(2)) session.quiesce();
  CHECK_EQ(deleted.get(), before.held.size() - kept.size());
  session.quiesce();
  std::set<int> left;
  for (const auto& [index, held] : graph_of(session, cells).held) {
    if (before.held.contains(index)) left.insert(index);
  }
  CHECK(left == kept);
}

void collect_in_storms(Job& world, bool is_restless) {
  chance = world.generator(static_cast<std::uint64_t>(world.rank) + 1);
  born = 0;
  for (int again = 0; again < 4; ++again) {
    Session session(everybody());
    session.set_restless(is_restless);
    Array<Cell> cells(session);
    session.run([&] {
      create_random(session, cells);
      int wave = 0;
      for (int round = 0; round < 4; ++round) {
        const Indices roots = round == 0 ? Indices{0} : some_of(graph_of(session, cells), 3);
        collect_in_a_storm(world, session, cells, roots, wave);
      }
    });
  }
}

CASE("what could not be reached when a collection began is deleted, and nothing else, in a storm of messages", 1, 8) {
  collect_in_storms(world, false);
}

CASE("a collection goes on while elements move whenever they have worked", 2, 8) { collect_in_storms(world, true); }

CASE("an element is kept that is handed on before its holder is asked", 1, 8) {
  Session session(everybody());
  constexpr int kLast = 20;
  Array<Cell> cells(session, kLast + 1);
  session.run([&] {
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < kLast; ++i) cells[i].send<&Cell::hold>(Indices{i + 1});
      References roots;
      roots(cells[0]);
      Future<std::size_t> deleted = session.collect_meanwhile(roots);
      cells[kLast - 1].send<&Cell::hold>(Indices{});
      cells[0].send<&Cell::hold>(Indices{1, kLast});  // which has its mark already
      CHECK_EQ(deleted.get(), std::size_t{0});
      CHECK_EQ(cells[kLast].call<&Cell::value>().get(), kLast);
    }
  });
}

CASE("what concerns all is not for elements that a collection is to delete, and misses no other", 1, 8) {
  constexpr int kKept = 1500;  // in a row, each on another process
  constexpr int kAll = 1600;
  Session session(everybody());
  Array<Cell> cells(session);
  session.run([&] {
    Indices all;
    for (int i = 0; i < kAll; ++i) {
      all.push_back(i);
      cells[i].create_on(i % session.size());
    }
    session.quiesce();
    for (int i = 0; i < kAll; ++i) {
      cells[i].send<&Cell::hold>(i + 1 == kKept ? Indices{} : Indices{i + 1 == kAll ? kKept : i + 1});
    }
    const Section<Cell> section(cells, all);
    Future<std::size_t> deleted = session.collect_meanwhile(as_roots(cells, {0}));
    std::vector<Future<long>> flows;
    std::vector<Future<long>> counts;
    for (int i = 1; i <= 40; ++i) {  // twice as many as processes keep, did they not keep them for the collection
      cells.broadcast<&Cell::wave>(i);
      cells.broadcast<&Cell::count>(counts.emplace_back(session));
      section.broadcast<&Cell::flow>(i, section, flows.emplace_back(session));
      CHECK_EQ(cells[0].call<&Cell::value>().get(), 0);  // which they reach before the marks are at their end
    }
    for (Future<long>& each : counts) CHECK_EQ(each.get(), static_cast<long>(kKept));
    for (Future<long>& each : flows) CHECK_EQ(each.get(), static_cast<long>(kKept));
    CHECK_EQ(deleted.get(), static_cast<std::size_t>(kAll - kKept));
    for (const Indices& each : list_of(session, cells)) {
      CHECK_EQ(each[1], 0);
      CHECK_EQ(each[2], 40);
    }
  });
}

CASE("an error within a collection leaves nothing behind for the next", 1, 8) {
  chance = world.generator(static_cast<std::uint64_t>(world.rank) + 1);
  born = 0;
  Session session(everybody());
  Array<Cell> cells(session);
  session.run([&] { create_random(session, cells); });
  for (int round = 1; round <= 6; ++round) {
    bool has_failed = false;
    try {
      session.run([&] {
        const Indices all = some_of(graph_of(session, cells), kFirst);
        const Future<std::size_t> deleted = session.collect_meanwhile(as_roots(cells, all));
        for (const int each : all) cells[each].send<&Cell::move>(static_cast<int>(below(world.size)));
        cells.broadcast<&Cell::wave>(2 * round - 1);
        throw std::runtime_error("enough");
      });
    } catch (const std::exception&) {
      has_failed = true;
    }
    CHECK(has_failed);
    session.run([&] {
      session.quiesce();
      const Graph before = graph_of(session, cells);
      CHECK_EQ(before.held.size(), static_cast<std::size_t>(kFirst));
      const std::set<int> kept = reached(before, {0, 1});
      if (round < 6) return;
      CHECK_EQ(session.collect(as_roots(cells, {0, 1})), kFirst - kept.size());
      CHECK_EQ(list_of(session, cells).size(), kept.size());
    });
  }
}

CASE("a collection begins when the one before it is over, and is main's to begin", 1, 8) {
  Session session(everybody());
  Array<Cell> cells(session, 200);
  bool is_refused = false;
  try {
    session.collect_meanwhile(References());
  } catch (const Error& error) {
    is_refused = std::string(error.what()).find("for the function of run(), on process 0") != std::string::npos;
  }
  CHECK(is_refused);
  session.run([&] {
    for (int i = 0; i < 200; ++i) cells[i].send<&Cell::hold>(i == 99 || i == 199 ? Indices{} : Indices{i + 1});
    Future<std::size_t> first = session.collect_meanwhile(as_roots(cells, {0, 100}));
    Future<std::size_t> second = session.collect_meanwhile(as_roots(cells, {0}));
    CHECK(first.ready());
    Future<std::size_t> third = session.collect_meanwhile(as_roots(cells, {90}));
    CHECK_EQ(third.get(), std::size_t{90});
    CHECK_EQ(second.get(), std::size_t{100});
    CHECK_EQ(first.get(), std::size_t{0});
    CHECK_EQ(list_of(session, cells).size(), std::size_t{10});
  });
}

CASE("collections are right in sessions whose processes leave and join", 1, 8) {
  chance = world.generator();  // the same on all
  std::unique_ptr<Session> session;
  std::optional<Array<Cell>> cells;
  for (int round = 1; round <= 6; ++round) {
    const Crew crew = drawn_crew(world, chance, session != nullptr);
    if (become(session, crew, round == 1)) cells.emplace(*session);
    const auto seed = chance();
    if (crew.is_in) {
      const std::mt19937_64 common = std::exchange(chance, std::mt19937_64(seed));
      session->run([&] {
        const Graph old = round == 1 ? Graph{} : graph_of(*session, *cells);
        for (int i = 0; i < kFirst; ++i) {
          if (!old.held.contains(i)) (*cells)[i].create();
        }
        session->quiesce();
        for (int i = 0; i < kFirst; ++i) {
          (*cells)[i].send<&Cell::hold>(Indices{static_cast<int>(below(kFirst)), static_cast<int>(below(kFirst))});
          (*cells)[i].send<&Cell::move>(static_cast<int>(below(static_cast<std::size_t>(crew.size))));
        }
        session->quiesce();
        const Graph graph = graph_of(*session, *cells);
        const Indices roots{static_cast<int>(below(kFirst))};
        const std::set<int> kept = reached(graph, roots);
        Future<std::size_t> deleted = session->collect_meanwhile(as_roots(*cells, roots));
        CHECK_EQ(deleted.get(), kFirst - kept.size());
        CHECK_EQ(list_of(*session, *cells).size(), kept.size());
      });
      chance = common;
    }
    release(crew.comm);
  }
}

}  // namespace
}  // namespace starling::tests::collecting_meanwhile_cases
