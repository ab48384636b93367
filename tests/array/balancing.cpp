// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Balancing steps of an array: measured loads, moves, and what they gain.
#include <time.h>

#include <array>
#include <chrono>
#include <csignal>
#include <starling/array/element.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "array/calls.hpp"
#include "support/cases.hpp"
#include "support/clocks.hpp"

namespace starling::tests::balancing_cases {
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
    CHECK(refuses([&] { workers.balance({.strategy = "hierarchical", .group = 1}); }));
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

/// Works, and has its process vacated, or taken back, in between.
class Tenant : public Element<Tenant> {
 public:
  void go(int left) {
    if (left > 0) array()[index()].send<&Tenant::go>(left - 1);
  }
  void vacate(bool wanted) { session().vacate(wanted); }
  void raise_signal() { std::raise(SIGUSR1); }
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> counts(static_cast<std::size_t>(session().size()));
    counts[static_cast<std::size_t>(rank())] = 1;
    contribute(counts, Sum{}, to);
  }
  void serialize(Archive& /*archive*/) {}
};

std::vector<int> counts_of(Session& session, const Array<Tenant>& tenants) {
  Future<std::vector<int>> counts(session);
  tenants.broadcast<&Tenant::where>(counts);
  return counts.get();
}

CASE("a process whose owner wants it is vacated by balancing steps until he gives it back", 2, 8) {
  Session session(everybody());
  Array<Tenant> tenants(session, 4 * world.size);
  session.run([&] {
    tenants.measure();
    const BalanceOptions refine{.always = true};
    tenants[4 * world.size - 1].send<&Tenant::vacate>(true);  // on the last process
    session.quiesce();
    tenants.balance(refine);
    CHECK_EQ(counts_of(session, tenants).back(), 0);
    tenants.balance(refine);
    CHECK_EQ(counts_of(session, tenants).back(), 0);
    for (int i = 0; i < world.size - 1; ++i) tenants.broadcast<&Tenant::vacate>(true);
    session.quiesce();
    const std::vector<int> before = counts_of(session, tenants);
    tenants.balance({.strategy = "none"});  // all want theirs: nobody is vacated
    CHECK(counts_of(session, tenants) == before);
    tenants.broadcast<&Tenant::vacate>(false);
    session.quiesce();
    tenants.balance(
        {.strategy = "greedy", .always = true});  // the last, which none of them reached, still wants its own
    CHECK_EQ(counts_of(session, tenants).back(), 0);
  });
  session.vacate(false);
  meet();  // or a process is asked before it has said so
  session.run([&] {
    tenants.balance({.strategy = "greedy", .always = true});
    CHECK(counts_of(session, tenants).back() > 0);
  });
}

CASE("a signal vacates a process while elements work, and the next one gives it back", 2, 8) {
  if (world.ranks_are == RanksAre::kThreads) return;  // which share their signals
  Session session(everybody());
  Array<Tenant> tenants(session, 4 * world.size);
  session.vacate_on(SIGUSR1);
  session.run([&] {
    tenants.balance_every(0, {.strategy = "refine", .tolerated = 1e300});  // moves nothing of its own will
    const auto work_until = [&](auto&& done) {
      do {
        tenants.broadcast<&Tenant::go>(20);
        session.quiesce();
      } while (!done(counts_of(session, tenants).back()));
    };
    const std::uint64_t steps = tenants.balanced().steps;
    work_until([&](int) { return tenants.balanced().steps > steps + 2; });
    CHECK_EQ(counts_of(session, tenants).back(), 4);
    tenants[4 * world.size - 1].send<&Tenant::raise_signal>();
    work_until([](int last) { return last == 0; });
    for (int i = 0; i < 4; ++i) tenants[4 * world.size - 1 - i].migrate_to(world.size - 1);
    tenants.measure(false);
    session.quiesce();
    CHECK_EQ(counts_of(session, tenants).back(), 4);
    tenants[4 * world.size - 1].send<&Tenant::raise_signal>();
    session.quiesce();
    tenants.balance({.tolerated = 1e300});
    CHECK_EQ(counts_of(session, tenants).back(), 4);
  });
}

/// On the first process it may be kept waiting, as by another program on its core, and has as much to do as anywhere.
class Delayed : public Element<Delayed> {
 public:
  void work(int waits_ms, const Future<void>& done) {
    if (rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(waits_ms));
    const double until = thread_s() + 1e-3;
    while (thread_s() < until) {
    }
    contribute(done);
  }
  void where(const Future<std::vector<int>>& to) {
    std::vector<int> counts(static_cast<std::size_t>(session().size()));
    counts[static_cast<std::size_t>(rank())] = 1;
    contribute(counts, Sum{}, to);
  }
  void serialize(Archive& /*archive*/) {}

 private:
  static double thread_s() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }
};

void work(Session& session, const Array<Delayed>& elements, int waits_ms) {
  Future<void> done(session);
  elements.broadcast<&Delayed::work>(waits_ms, done);
  done.get();
}

/// Of 8 elements a process, how many the first has after a step, where methods wait there or others work as well.
int left_to_the_first(Session& session, int waits_ms, int others, bool around_others) {
  int left = 0;
  Array<Delayed> all(session, 8 * session.size());
  Array<Delayed> other(session, others, {.home = [](int, int) { return 0; }});
  session.run([&] {
    other.measure();
    all.measure();
    work(session, all, waits_ms);
    if (others > 0) work(session, other, 0);
    all.balance({.strategy = "greedy", .always = true, .around_others = around_others});
    Future<std::vector<int>> counts(session);
    all.broadcast<&Delayed::where>(counts);
    left = counts.get().front();
  });
  return left;
}

/// The same with and without what is to be gone around. Where this machine, or another program, kept the other
/// processes waiting as long, or took a core from an element of the first while its time was counted, it is tried
/// again.
std::pair<int, int> both_ways(Session& session, int waits_ms, int others) {
  const auto tried = [&](bool around_others, auto is_right) {
    std::array<std::int64_t, 1> left{};
    for (int i = 0; i < 5; ++i) {
      left[0] = left_to_the_first(session, waits_ms, others, around_others);
      add_up(left);  // only main knows it
      if (is_right(left[0])) break;
    }
    return static_cast<int>(left[0]);
  };
  return {tried(true, [](std::int64_t left) { return left <= 2; }),
          tried(false, [](std::int64_t left) { return left >= 4; })};
}

CASE("elements leave a process whose methods other programs keep waiting, where that is to count", 2, 4) {
  Session session(everybody());
  const auto [with, without] = both_ways(session, 5, 0);
  if (world.rank != 0) return;
  CHECK(with <= 2);
  CHECK(without >= 4);
}

CASE("elements leave a process where another array works, where that is to count", 2, 4) {
  Session session(everybody());
  const auto [with, without] = both_ways(session, 0, 24);
  if (world.rank != 0) return;
  CHECK(with <= 2);
  CHECK(without >= 4);
}

CASE("balancing in groups evens loads, and no process reads more than a group has", 3, 64) {
  Session session(everybody());
  Array<Worker> workers(session, 8 * world.size);
  session.run([&] {
    workers.measure();
    const auto balance = [&](int group) {
      step(session, workers);
      return workers.balance({.strategy = "hierarchical", .always = true, .group = group});
    };
    const BalanceReport all = balance(1024);
    const BalanceReport in_groups = balance(2);
    CHECK(in_groups.verdict.imbalance_after <= in_groups.verdict.imbalance_before);
    CHECK(in_groups.most_bytes > 0);
    // A process has 8 elements of 21 bytes, or some more by now; then there are sums and tasks of each level.
    if (world.size >= 32) CHECK(in_groups.most_bytes < all.most_bytes);
    balance(4);
    Future<long> steps(session);
    workers.broadcast<&Worker::steps>(steps);
    CHECK_EQ(steps.get(), 3 * 8 * world.size);
  });
}

CASE("balancing by itself in groups moves elements while they work, and no message is lost", 3, 16) {
  Session session(everybody());
  const int first = world.size;  // of those that are on the first process
  Array<Restless> workers(session, 6 * world.size, {.home = [=](int index, int) { return index < first ? 0 : 1; }});
  session.run([&] {
    workers.balance_every(0, {.strategy = "hierarchical", .always = true, .group = 2});
    long rounds = 0;
    do {
      ++rounds;
      workers.broadcast<&Restless::go>(30);
      session.quiesce();
    } while (workers.balanced().steps < 3 || workers.balanced().steps_that_moved == 0);
    workers.measure(false);
    session.quiesce();
    Future<std::vector<long>> counts(session);
    workers.broadcast<&Restless::count>(counts);
    const std::vector<long> expected{6L * world.size, 6L * world.size * 31 * rounds};
    CHECK(counts.get() == expected);
  });
}

CASE("a process whose owner wants it is vacated also where groups balance", 3, 8) {
  Session session(everybody());
  Array<Tenant> tenants(session, 4 * world.size);
  session.run([&] {
    tenants.measure();
    tenants[4 * world.size - 1].send<&Tenant::vacate>(true);  // on the last process
    session.quiesce();
    tenants.balance({.strategy = "hierarchical", .group = 2});
    CHECK_EQ(counts_of(session, tenants).back(), 0);
  });
}

}  // namespace
}  // namespace starling::tests::balancing_cases
