// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Balancing steps of an array: measured loads, moves, and what they gain.
#include <starling/array/element.hpp>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"
#include "support/clocks.hpp"

namespace starling::tests {
namespace {

using namespace starling::array;

class Worker : public Element<Worker> {
 public:
  void work(const Future<void>& done) {
    const double until = shared_clock_s() + (index() < 8 ? 400e-6 : 100e-6);
    while (shared_clock_s() < until) {
    }
    ++steps_;
    contribute(done);
  }
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> counts(static_cast<std::size_t>(session().size()));
    counts[static_cast<std::size_t>(rank())] = 1;
    contribute(counts, Sum{}, to);
  }
  void steps(const Future<long>& to) { contribute(long{steps_}, Sum{}, to); }
  void serialize(Archive& archive) { archive(steps_); }

 private:
  int steps_ = 0;
};

void step(Session& session, const Array<Worker>& workers) {
  Future<void> done(session);
  workers.broadcast<&Worker::work>(done);
  done.get();
}

std::vector<int> counts_of(Session& session, const Array<Worker>& workers) {
  Future<std::vector<int>> counts(session);
  workers.broadcast<&Worker::where>(counts);
  return counts.get();
}

CASE("a balancing step moves measured load, explains itself, and the elements go on", 2, 4) {
  Session session(everybody());
  Array<Worker> workers(session, 32);
  session.run([&] {
    workers.measure();
    step(session, workers);
    BalanceOptions options;
    options.always = true;  // other programs on the machine make the measured loads what they are
    const BalanceReport report = workers.balance(options);
    CHECK(report.verdict.imbalance_after <= report.verdict.imbalance_before);
    CHECK(report.verdict.imbalance_before >= 1);
    CHECK(report.text().find("imbalance") != std::string::npos);
    step(session, workers);
    Future<long> steps(session);
    workers.broadcast<&Worker::steps>(steps);
    CHECK_EQ(steps.get(), 64);
  });
}

CASE("every strategy leaves every element alive", 1, 8) {
  Session session(everybody());
  Array<Worker> workers(session, 32);
  session.run([&] {
    workers.measure();
    long expected = 0;
    for (const std::string& strategy : strategies()) {
      step(session, workers);
      expected += 32;
      BalanceOptions options;
      options.strategy = strategy;
      options.always = true;
      workers.balance(options);
      Future<long> steps(session);
      workers.broadcast<&Worker::steps>(steps);
      CHECK_EQ(steps.get(), expected);
    }
  });
}

/// Works until it is told to stop: nothing in it waits for the others.
class Restless : public Element<Restless> {
 public:
  void go(int left) {
    ++steps_;
    if (left > 0) array()[index()].send<&Restless::go>(left - 1);
  }
  void count(const Future<std::vector<long>>& to) { contribute(std::vector<long>{1, steps_}, Sum{}, to); }
  void serialize(Archive& archive) { archive(steps_); }

 private:
  long steps_ = 0;
};

CASE("balancing by itself moves elements while they work, and no message is lost", 2, 8) {
  Session session(everybody());
  Array<Restless> workers(session, 48);
  session.run([&] {
    // As often as there is work, and whether it gains anything or not: rotate moves all.
    workers.balance_every(0, {.strategy = "rotate", .always = true});
    long rounds = 0;
    const auto work = [&] {
      ++rounds;
      workers.broadcast<&Restless::go>(30);
      session.quiesce();
    };
    while (workers.balanced().steps < 3) work();
    const BalanceHistory history = workers.balanced();
    CHECK(history.steps_that_moved > 0);  // not always: in some steps all elements may be on their way
    CHECK(history.moves > 0);
    workers.measure(false);
    session.quiesce();
    const std::uint64_t steps = workers.balanced().steps;
    work();
    CHECK_EQ(workers.balanced().steps, steps);
    Future<std::vector<long>> counts(session);
    workers.broadcast<&Restless::count>(counts);
    const std::vector<long> expected{48, 48 * 31 * rounds};
    CHECK(counts.get() == expected);
  });
}

CASE("balancing by itself leaves alone what it would gain too little from", 2, 8) {
  Session session(everybody());
  Array<Restless> workers(session, 48);
  session.run([&] {
    BalanceOptions options;
    options.strategy = "rotate";  // always has moves, and gains nothing
    workers.balance_every(0, options);
    while (workers.balanced().steps < 2) {
      workers.broadcast<&Restless::go>(30);
      session.quiesce();
    }
    CHECK_EQ(workers.balanced().steps_that_moved, 0u);
    workers.balance({.strategy = "rotate", .always = true});  // main may still ask
    Future<std::vector<long>> counts(session);
    workers.broadcast<&Restless::count>(counts);
    CHECK_EQ(counts.get()[0], 48);
  });
}

CASE("balancing refuses options that cannot be", 1, 2) {
  Session session(everybody());
  Array<Restless> workers(session, 8);
  session.run([&] {
    const auto refuses = [&](auto&& call) {
      try {
        call();
        return false;
      } catch (const std::exception&) {
        return true;
      }
    };
    CHECK(refuses([&] { workers.balance_every(-1); }));
    CHECK(refuses([&] { workers.balance_every(1, {.strategy = "gready"}); }));
    CHECK(refuses([&] { workers.balance({.vacated = {world.size}}); }));
  });
}

/// A cell of a grid that talks to its right and its lower neighbour, in objects that are not bytes.
class Gossip : public Element<Gossip, std::array<int, 2>> {
 public:
  static constexpr int kSide = 12;
  void talk(int rounds) {
    const auto [row, column] = index();
    for (int i = 0; i < rounds; ++i) {
      if (row + 1 < kSide) array()[{row + 1, column}].send<&Gossip::hear>(rank(), std::vector<double>(16));
      if (column + 1 < kSide) array()[{row, column + 1}].send<&Gossip::hear>(rank(), std::vector<double>(16));
    }
  }
  void hear(int from, const std::vector<double>&) {
    ++heard_;
    from_others_ += from != rank() ? 1 : 0;
  }
  void count(const Future<std::vector<long>>& to) { contribute(std::vector<long>{1, heard_, from_others_}, Sum{}, to); }
  void serialize(Archive& archive) { archive(heard_, from_others_); }

 private:
  long heard_ = 0;
  long from_others_ = 0;
};

CASE("graph measures who talks to whom, and brings those together", 2, 8) {
  Session session(everybody());
  Array<Gossip> cells(session);  // at home by hash: neighbours lie anywhere
  session.run([&] {
    for (int i = 0; i < Gossip::kSide * Gossip::kSide; ++i) cells[{i / Gossip::kSide, i % Gossip::kSide}].create();
    session.quiesce();
    constexpr long kRounds = 10;
    constexpr long kAll = 2 * Gossip::kSide * (Gossip::kSide - 1) * kRounds;
    const auto talk = [&] {
      cells.broadcast<&Gossip::talk>(static_cast<int>(kRounds));
      session.quiesce();
      Future<std::vector<long>> counts(session);
      cells.broadcast<&Gossip::count>(counts);
      return counts.get();
    };
    BalanceOptions options;
    options.strategy = "graph";
    options.always = true;
    options.tolerated = 2;  // loads are as short as they are
    cells.measure(options);
    session.quiesce();
    const std::vector<long> before = talk();
    const balancing::Verdict verdict = cells.balance(options).verdict;
    CHECK_EQ(before[1], kAll);
    CHECK_EQ(verdict.messages_between_before, static_cast<double>(before[2]));
    const double bytes_each = verdict.bytes_between_before / verdict.messages_between_before;
    CHECK(bytes_each >= 16 * sizeof(double));
    CHECK_EQ(verdict.bytes_between_after, bytes_each * verdict.messages_between_after);
    CHECK(verdict.messages_between_after < 0.7 * verdict.messages_between_before);
    const std::vector<long> after = talk();
    CHECK_EQ(after[0], long{Gossip::kSide * Gossip::kSide});
    CHECK_EQ(after[1], 2 * kAll);
    CHECK_EQ(static_cast<double>(after[2] - before[2]), verdict.messages_between_after);
    cells.measure(false);
  });
}

/// Answers its namesake, which lies anywhere else.
class Oracle : public Element<Oracle> {
 public:
  std::vector<double> ask(const std::vector<double>& question) {
    ++asked_;
    return question;
  }
  void tell(int) {}
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> at(kCount);
    at[static_cast<std::size_t>(index())] = rank();
    contribute(at, Sum{}, to);
  }
  void serialize(Archive& archive) { archive(asked_); }
  static constexpr int kCount = 64;

 private:
  long asked_ = 0;
};

class Asker : public Element<Asker> {
 public:
  Task<> go(Array<Oracle> oracles, int rounds, Future<void> done) {
    for (int i = 0; i < rounds; ++i) {
      const std::vector<double> answer = co_await oracles[index()].call<&Oracle::ask>(std::vector<double>(16));
      answered_ += static_cast<int>(answer.size());
    }
    contribute(done);
  }
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> at(Oracle::kCount);
    at[static_cast<std::size_t>(index())] = rank();
    contribute(at, Sum{}, to);
  }
  void serialize(Archive& archive) { archive(answered_); }

 private:
  int answered_ = 0;
};

template <class T>
std::vector<int> places_of(Session& session, const Array<T>& array) {
  Future<std::vector<int>> places(session);
  array.template broadcast<&T::where>(places);
  return places.get();
}

/// How many lie elsewhere than their namesakes.
int apart(const std::vector<int>& some, const std::vector<int>& others) {
  int count = 0;
  for (std::size_t i = 0; i < some.size(); ++i) count += some[i] != others[i] ? 1 : 0;
  return count;
}

CASE("graph brings elements to those of another array that they call, and these to their callers", 2, 8) {
  Session session(everybody());
  Array<Asker> askers(session, Oracle::kCount);
  Array<Oracle> oracles(session);  // at home by hash
  session.run([&] {
    for (int i = 0; i < Oracle::kCount; ++i) oracles[i].create();
    session.quiesce();
    BalanceOptions options;
    options.strategy = "graph";
    options.always = true;
    options.tolerated = 2;  // loads are as short as they are
    askers.measure(options);
    oracles.measure(options);
    session.quiesce();
    constexpr int kRounds = 5;
    Future<void> done(session);
    askers.broadcast<&Asker::go>(oracles, kRounds, done);
    done.get();
    session.quiesce();
    const int before = apart(places_of(session, askers), places_of(session, oracles));
    options.always = false;
    options.cost_of_move_s = 1;  // not worth it: only to hear what each array knows
    const balancing::Verdict asking = askers.balance(options).verdict;
    options.always = true;
    const balancing::Verdict verdict = oracles.balance(options).verdict;
    for (const balancing::Verdict& each : {asking, verdict}) {
      CHECK_EQ(each.messages_between_before, 2.0 * kRounds * before);
      CHECK_EQ(each.bytes_between_before, each.messages_between_before * (sizeof(std::uint64_t) + 16 * 8));
    }
    const int after = apart(places_of(session, askers), places_of(session, oracles));
    CHECK_EQ(verdict.messages_between_after, 2.0 * kRounds * after);
    CHECK(after < before);
    askers.measure(false);
    oracles.measure(false);
  });
}

CASE("graph counts what main sends, and what it is answered, as sent from process 0", 2, 4) {
  Session session(everybody());
  Array<Oracle> oracles(session, Oracle::kCount);
  session.run([&] {
    BalanceOptions options;
    options.strategy = "graph";
    options.cost_of_move_s = 1;  // stays as it is
    oracles.measure(options);
    session.quiesce();
    for (int i = 0; i < Oracle::kCount; ++i) oracles[i].send<&Oracle::tell>(i);
    for (int i = 0; i < Oracle::kCount; ++i) oracles[i].call<&Oracle::ask>(std::vector<double>(16)).get();
    session.quiesce();
    const double elsewhere = apart(places_of(session, oracles), std::vector<int>(Oracle::kCount));
    const balancing::Verdict verdict = oracles.balance(options).verdict;
    CHECK(elsewhere > 0);
    CHECK_EQ(verdict.messages_between_before, 3 * elsewhere);
    CHECK_EQ(verdict.bytes_between_before, (sizeof(int) + 2 * (sizeof(std::uint64_t) + 16 * 8)) * elsewhere);
    const balancing::Verdict silence = oracles.balance(options).verdict;  // each step counts from zero
    CHECK_EQ(silence.messages_between_before, 0.0);
    oracles.measure(false);
  });
}

CASE("a vacated process has no element left, and gets some back later", 2, 8) {
  Session session(everybody());
  Array<Worker> workers(session, 32);
  session.run([&] {
    workers.measure();
    step(session, workers);
    BalanceOptions options;
    options.vacated = {world.size - 1};
    workers.balance(options);
    CHECK_EQ(counts_of(session, workers).back(), 0);
    step(session, workers);
    options.vacated.clear();
    options.always = true;
    workers.balance(options);
    CHECK(counts_of(session, workers).back() > 0);
  });
}

}  // namespace
}  // namespace starling::tests
