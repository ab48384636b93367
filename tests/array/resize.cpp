// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sessions whose processes leave and join between runs: elements, their state and what is known of them stay right.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <starling/array/element.hpp>
#include <string>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"

namespace starling::tests::resize_cases {
namespace {

using namespace starling::array;

constexpr int kCells = 24;  // never deleted; the others are
using Sums = std::tuple<long, long, long, long>;

long worth(int index, int round) { return (index + 1) * 1000003L % 7919 + round * 31L * (index % 13 + 1); }

class Cell : public Element<Cell> {
 public:
  void work(int round) {
    value_ += worth(index(), round);
    array()[(index() * 7 + round) % kCells].send<&Cell::take>(round);
    if (index() < kCells) array()[(index() + 1) % kCells].in_order().send<&Cell::follow>(++said_);
  }
  void take(int what) { taken_ += what; }
  void follow(int number) {
    wrong_ += number == heard_ + 1 ? 0 : 1;
    heard_ = number;
  }
  void tell(const Future<Sums>& to) { contribute(Sums{1, value_, taken_, wrong_}, EachOf<Sum, Sum, Sum, Sum>{}, to); }
  void where(const Future<std::vector<long>>& to) {
    std::vector<long> here(static_cast<std::size_t>(session().size()));
    here[static_cast<std::size_t>(rank())] = 1;
    contribute(here, Sum{}, to);
  }
  Task<void> wait() {
    end_ = Future<void>(session());
    co_await end_;
  }
  void wake() { end_.set(); }
  void give(int first, int last, const Future<void>& to) {
    if (index() >= first && index() <= last) contribute(to);
  }
  void serialize(Archive& archive) { archive(value_, taken_, wrong_, said_, heard_); }

 private:
  long value_ = 0;
  long taken_ = 0;
  long wrong_ = 0;
  int said_ = 0;
  int heard_ = 0;
  Future<void> end_;
};

template <class T, auto M>
T told_by_all(Session& session, const Array<Cell>& cells) {
  Future<T> result(session);
  cells.broadcast<M>(result);
  return result.get();
}

/// What the cells should be: known to all processes, as any of them may be the first of the next session.
struct Model {
  std::mt19937_64 chance;
  std::map<int, long> values;  // of living cells
  std::vector<int> dead;
  std::vector<int> expected;  // have a message that waits for them
  int next = kCells;
  long taken = 0;
  long ghosts = 0;  // messages to deleted cells

  unsigned below(std::size_t bound) { return static_cast<unsigned>(chance() % bound); }
};

void check_sums(Job& world, Session& session, const Array<Cell>& cells, const Model& model) {
  const auto [count, value, taken, wrong] = told_by_all<Sums, &Cell::tell>(session, cells);
  long expected = 0;
  for (const auto& each : model.values) expected += each.second;
  CHECK_EQ(count, static_cast<long>(model.values.size()));
  CHECK_EQ(value, expected);
  CHECK_EQ(taken, model.taken - static_cast<long>(model.expected.size()));
  CHECK_EQ(wrong, 0);
}

/// One round of one session; the choices are the same on all processes, also on those that are not in it.
void storm_round(Job& world, Model& model, int round, int size, Session* session, const Array<Cell>* cells) {
  const std::vector<int> born = std::exchange(model.expected, {});
  std::vector<int> dying;
  for (const auto& [index, value] : model.values) {
    if (index >= kCells && model.below(4) == 0) dying.push_back(index);
  }
  const int ghost = model.dead.empty() || model.below(2) == 0 ? -1 : model.dead[model.below(model.dead.size())];
  for (const int each : dying) model.values.erase(each);
  model.taken -= static_cast<long>(dying.size());  // each had the message that waited for it
  for (const int each : born) model.values[each] = 0;
  for (unsigned i = model.below(4); i > 0; --i) model.expected.push_back(model.next++);
  std::vector<std::pair<int, int>> moves;
  for (auto& [index, value] : model.values) {
    value += worth(index, round);
    model.taken += round;
    if (model.below(2) == 0) moves.emplace_back(index, static_cast<int>(model.below(static_cast<std::size_t>(size))));
  }
  model.taken += static_cast<long>(model.expected.size());
  model.ghosts += ghost >= 0 ? 1 : 0;
  const bool is_restless = model.below(3) == 0;
  if (session != nullptr) {
    session->set_restless(is_restless);
    session->run([&] {
      for (const int each : dying) (*cells)[each].destroy();
      for (const int each : born) (*cells)[each].create();
      session->quiesce();
      for (const auto& [index, to] : moves) (*cells)[index].migrate_to(to);
      cells->broadcast<&Cell::work>(round);
      if (ghost >= 0) (*cells)[ghost].send<&Cell::take>(1);
      for (const int each : model.expected) (*cells)[each].send<&Cell::take>(1);
      session->quiesce();
      check_sums(world, *session, *cells, model);
    });
  }
  model.dead.insert(model.dead.end(), dying.begin(), dying.end());
}

void storm_of_processes(Job& world, int rounds) {
  Model model{world.generator(), {}, {}, {}};
  for (int i = 0; i < kCells; ++i) model.values[i] = 0;
  std::unique_ptr<Session> session;
  std::optional<Array<Cell>> cells;
  std::int64_t complaints = 0;
  for (int round = 1; round <= rounds; ++round) {
    const Crew crew = drawn_crew(world, model.chance, session != nullptr);
    if (become(session, crew, round == 1)) {
      session->on_error([&](const std::string& text) { complaints += text.find("deleted") != text.npos ? 1 : 0; });
      cells.emplace(*session, kCells);
    }
    storm_round(world, model, round, crew.size, session.get(), crew.is_in ? &*cells : nullptr);
    release(crew.comm);
  }
  session.reset();
  add_up({&complaints, 1});
  CHECK_EQ(complaints, model.ghosts);
}

CASE("a storm of processes that leave and join between runs", 1, 8) { storm_of_processes(world, 8); }

CASE("processes that join are given elements by a balancing step", 2, 8) {
  const bool is_first = world.rank == 0;
  const Communicator alone = part_of(everybody(), is_first, 0);
  {
    Session session = is_first ? Session(alone) : Session::join(everybody());
    Array<Cell> cells(session, kCells);
    if (is_first) {
      session.run([&] {
        cells.measure();
        cells.broadcast<&Cell::work>(1);
      });
      session.resize(everybody());
    }
    session.run([&] {
      CHECK_EQ(session.size(), world.size);
      CHECK_EQ((told_by_all<std::vector<long>, &Cell::where>(session, cells)[0]), kCells);
      cells.broadcast<&Cell::work>(2);
      session.quiesce();
      cells.balance({.vacated = {0}});
      CHECK_EQ((told_by_all<std::vector<long>, &Cell::where>(session, cells)[0]), 0);
      CHECK_EQ((std::get<0>(told_by_all<Sums, &Cell::tell>(session, cells))), kCells);
    });
  }
  release(alone);
}

/// The text of the error that a call throws.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

CASE("a change of processes that would lose something is refused, and the session goes on", 2, 8) {
  const Communicator rest = part_of(everybody(), world.rank != world.size - 1, 0);
  {
    Session session(everybody());
    session.on_error([](const std::string&) {});
    Array<Cell> cells(session, kCells);
    CHECK(has(refusal([&] { session.resize(Communicator()); }), "all processes leave"));
    session.run([&] {
      if (world.rank == 0) CHECK(has(refusal([&] { session.resize(everybody()); }), "between two run()s"));
      cells[kCells - 1].send<&Cell::wait>();
    });
    const std::string text = refusal([&] { session.resize(rest); });
    CHECK(has(text, "coroutine that waits") && has(text, "element 23 of array 0"));
    session.run([&] {
      cells[kCells - 1].send<&Cell::wake>();
      cells.broadcast<&Cell::give>(0, 0, Future<void>(session));
    });
    CHECK(has(refusal([&] { session.resize(rest); }), "a reduction of array 0 is not complete"));
    session.run([&] {
      cells.broadcast<&Cell::give>(1, kCells, Future<void>(session));
      session.quiesce();
      CHECK_EQ(std::get<0>(told_by_all<Sums, &Cell::tell>(session, cells)), kCells);
    });
    session.resize(rest);
  }
  release(rest);
}

CASE("processes that join with other arrays are refused, and those that left cannot go on", 2, 8) {
  const bool is_first = world.rank == 0;
  const Communicator alone = part_of(everybody(), is_first, 0);
  {
    Session session = is_first ? Session(alone) : Session::join(everybody());
    if (is_first) {
      Array<Cell> cells(session, kCells);
      CHECK(has(refusal([&] { session.resize(everybody()); }), "the same arrays"));
      session.run([&] { CHECK_EQ((told_by_all<std::vector<long>, &Cell::where>(session, cells)[0]), kCells); });
    } else {
      CHECK(has(refusal([&] { session.run([] {}); }), "the same arrays"));
    }
  }
  release(alone);
  const Communicator rest = part_of(everybody(), is_first, 0);
  {
    Session session(everybody());
    session.resize(rest);
    if (!is_first) CHECK(has(refusal([&] { session.run([] {}); }), "left its session"));
  }
  release(rest);
}

/// After so many rounds of work by all.
void check_rounds(Job& world, Session& session, const Array<Cell>& cells, int rounds) {
  long expected = 0;
  for (int i = 0; i < kCells; ++i) {
    for (int round = 1; round <= rounds; ++round) expected += worth(i, round);
  }
  const auto [count, value, taken, wrong] = told_by_all<Sums, &Cell::tell>(session, cells);
  CHECK_EQ(count, kCells);
  CHECK_EQ(value, expected);
  CHECK_EQ(taken, kCells * rounds * (rounds + 1) / 2);
  CHECK_EQ(wrong, 0);
}

CASE("spawned processes join a session and leave it again", 1, 4) {
  if (!can_spawn(world)) return;
  Communicator children = parent();
  const bool joins = !children.is_null();
  Session session = joins ? Session::join(children) : Session(everybody());
  Array<Cell> cells(session, kCells);
  if (!joins) {
    session.run([&] { cells.broadcast<&Cell::work>(1); });
    children = spawned(session.communicator(), 2, "spawned processes join");
    session.resize(children);
    CHECK_EQ(session.size(), world.size + 2);
  }
  session.run([&] {
    for (int i = 0; i < kCells; ++i) cells[i].migrate_to(i % session.size());
    cells.broadcast<&Cell::work>(2);
    session.quiesce();
    check_rounds(world, session, cells, 2);
    for (const long each : told_by_all<std::vector<long>, &Cell::where>(session, cells)) CHECK(each > 0);
  });
  const Communicator rest = part_of(session.communicator(), !joins, 0);
  session.resize(rest);
  disconnect(children);
  if (joins) return;
  release(rest);
  session.run([&] {
    cells.broadcast<&Cell::work>(3);
    session.quiesce();
    check_rounds(world, session, cells, 3);
  });
}

}  // namespace
}  // namespace starling::tests::resize_cases
