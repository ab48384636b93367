// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Several threads of one rank (progress/call_lock.hpp, progress/wait_team.hpp): the lock orders what they do and passes
// on where it is handed over, and of threads that wait together each goes on when its condition holds.
#include "progress/engine.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::waiting_threads_test {
namespace {

using progress::CallLock;
using progress::WaitTeam;

/// So many threads take the lock so often; each hands it over, or drops it.
Model takers(int threads, int times, bool hands_over) {
  return [threads, times, hands_over](Execution& execution) {
    struct Guarded {
      CallLock lock;
      int value = 0;
    };
    auto& guarded = execution.make<Guarded>();
    execution.share(guarded);
    for (int i = 0; i < threads; ++i) {
      execution.thread("thread", [&guarded, times, hands_over] {
        for (int k = 0; k < times; ++k) {
          guarded.lock.lock();
          ++guarded.value;
          if (hands_over) guarded.lock.hand_over();
          guarded.lock.unlock();
        }
      });
    }
    execution.at_end(
        [&guarded, threads, times] { require(guarded.value == threads * times, "each has had the lock alone"); });
  };
}

TEST(CallLocks, AreHeldByOneThreadAtATime) { expect_right(takers(2, 1, false)); }

TEST(CallLocks, AreHandedOver) { expect_right(takers(2, 1, true)); }

TEST(LongCallLocks, AreHandedOverAgain) { expect_right(takers(2, 2, true)); }

/// One thread follows until another one has made its condition true and tells it.
TEST(WaitTeams, TellAFollowerThatItsConditionHolds) {
  expect_right([](Execution& execution) {
    struct Rank {
      CallLock lock;
      WaitTeam team;
      int value = 0;
    };
    auto& rank = execution.make<Rank>();
    execution.share(rank);
    execution.thread("follower", [&rank] {
      rank.lock.lock();
      const auto is_done = [&rank] { return rank.value == 1; };
      WaitTeam::Member member((progress::Condition(is_done)));
      while (!is_done() && !rank.team.may_lead()) {
        rank.team.follow(member, rank.lock, {progress::WaitMode::kSleep, 0, 0}, [] { return false; });
      }
      rank.lock.unlock();
    });
    execution.thread("leader", [&rank] {
      rank.lock.lock();
      const auto never = [] { return false; };
      WaitTeam::Member member((progress::Condition(never)));
      rank.team.begin_to_lead(member);
      rank.lock.let_in();
      rank.value = 1;
      rank.team.tell_followers();
      rank.lock.unlock();
    });
  });
}

/// A thread leaves the lead and does not come back, though it was expected to: a follower that sleeps for good is told,
/// and another one watches.
TEST(WaitTeams, LeadWhenAThreadDoesNotComeBack) {
  constexpr std::int64_t kSoonNs = 1;  // nobody waits for the clock alone, as a model understands it
  struct Rank {
    CallLock lock;
    WaitTeam team{kSoonNs};
  };
  expect_right([](Execution& execution) {
    auto& rank = execution.make<Rank>();
    execution.share(rank);
    const auto never = [] { return false; };
    execution.thread("follower", [&rank, never] {
      rank.lock.lock();
      WaitTeam::Member member((progress::Condition(never)));
      while (!rank.team.may_lead()) {
        rank.team.follow(member, rank.lock, {progress::WaitMode::kSleep, 0, 0}, [] { return false; });
      }
      rank.lock.unlock();
    });
    execution.thread("leader", [&rank, never] {
      rank.lock.lock();
      WaitTeam::Member member((progress::Condition(never)));
      rank.team.begin_to_lead(member);
      rank.lock.let_in();
      rank.team.end_to_lead(nullptr, false);
      rank.team.leave();
      rank.lock.unlock();
    });
  });
}

/// One thread sleeps on the rank's doorbell, and another one of the rank does what it waits for.
TEST(WaitTeams, WakeALeaderThatSleeps) {
  Node node(1);
  expect_right([&node](Execution& execution) {
    node.share(execution);
    auto& engine = execution.make<progress::Engine>(*node.segment, LocalRank(0), node.config);
    engine.set_threaded();
    auto& value = execution.make<int>();
    execution.share(value);
    execution.thread("sleeper", [&] {
      engine.lock();
      engine.wait([&] { return value == 1; });
      engine.unlock();
    });
    execution.thread("caller", [&] {
      engine.lock();
      value = 1;
      engine.wake_own_threads();
      engine.unlock();
    });
  });
}

}  // namespace
}  // namespace starling::weak::waiting_threads_test
