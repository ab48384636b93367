// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node know of each other's lateness (collective/node/arrival_history.hpp): the plan of a call is
// whole for whoever finds it, all follow the same, and none is written over before everybody has left its call.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "collective/late/arrival_tracker.hpp"
#include "weak_memory/shared_ranks.hpp"

namespace starling::weak::arrival_history_test {
namespace {

using collective::ArrivalHistory;
using collective::ArrivalPrediction;
using collective::ArrivalTracker;

struct Watcher {
  Watcher(Node& node, std::int32_t rank, std::int32_t ranks)
      : shared(node, rank, ranks),
        engine(*node.segment, LocalRank(rank), node.config),
        tracker(*shared.buffer, rank, std::make_shared<collective::LateTableSource>()) {
    machine.message_ns = 1000;
    machine.byte_ns = machine.long_byte_ns = machine.reduce_byte_ns = 0.1;
    machine.cores = ranks;
    arguments.operation = collective::Operation::kBarrier;
    arguments.comm = shared.comm.get();
  }
  std::optional<ArrivalPrediction> enter(std::uint64_t call) {
    return tracker.enter(engine, {arguments, call, machine, collective::LateHandling::kOnlyWatch});
  }

  SharedRank shared;
  progress::Engine engine;
  ArrivalTracker tracker;
  collective::Machine machine{};
  collective::Arguments arguments;
  std::vector<arrival::Ticks> expected;
};

/// When ranks came and left decides nothing that these models are about, and makes no steps.
void name_history(Execution& execution, const ArrivalHistory& history) {
  execution.share(&history.head(), ArrivalHistory::bytes(static_cast<std::int32_t>(history.ranks())));
  execution.name(&history.head().claimed, "claimed");
  execution.name(&history.head().decided, "decided");
  for (std::size_t place = 0; place < ArrivalHistory::kPlans; ++place) {
    execution.name(&history.plan(place).ready, "ready");
  }
  for (std::size_t rank = 0; rank < history.ranks(); ++rank) {
    ArrivalHistory::RankTimes& times = history.times(rank);
    execution.name(&times.left, "left");
    execution.leave_out(&times.entered);
    for (ArrivalHistory::Stay& stay : times.stays) {
      execution.leave_out(&stay.call);
      execution.leave_out(&stay.entered_ns);
      execution.leave_out(&stay.left_ns);
    }
    for (std::int32_t kind = 0; kind < static_cast<std::int32_t>(ArrivalHistory::kKinds); ++kind) {
      execution.leave_out(&history.away(kind)[rank].ns);
      execution.leave_out(&history.away(kind)[rank].since_entry);
    }
  }
}

/// So many ranks enter one call.
Model one_call(Node& node, std::int32_t ranks) {
  return [&node, ranks](Execution& execution) {
    node.share(execution);
    std::vector<Watcher*> watchers;
    for (std::int32_t i = 0; i < ranks; ++i) watchers.push_back(&execution.make<Watcher>(node, i, ranks));
    name_history(execution, watchers.front()->shared.buffer->history());
    for (Watcher* watcher : watchers) {
      execution.thread("rank", [watcher] {
        const std::optional<ArrivalPrediction> found = watcher->enter(1);
        require(found.has_value(), "the call has a plan");
        watcher->expected.assign(found->arrivals.begin(), found->arrivals.end());
      });
    }
    execution.at_end([watchers] {
      for (const Watcher* watcher : watchers) {
        require(watcher->expected == watchers.front()->expected, "all expect the same");
      }
    });
  };
}

TEST(ArrivalHistories, GiveAllRanksOnePlan) {
  Node node(2);
  EXPECT_EQ(explore(one_call(node, 2)).wrong, "");
}

TEST(LongArrivalHistories, GiveAllRanksOnePlan) {
  Node node(2);
  expect_right(one_call(node, 2));
}

TEST(ArrivalHistories, GiveAllRanksOnePlanWhereMembarrierIsRefused) {
  Node node(2);
  node.have_senders_fence();
  EXPECT_EQ(explore(one_call(node, 2), without_membarrier()).wrong, "");
}

TEST(LongArrivalHistories, GiveAllRanksOnePlanWhereMembarrierIsRefused) {
  Node node(2);
  node.have_senders_fence();
  expect_right(one_call(node, 2), without_membarrier());
}

/// One rank is still in the call whose plan is the oldest, and looks into that, when another comes to a call for which
/// there is no other place.
Model no_place(Node& node) {
  return [&node](Execution& execution) {
    node.share(execution);
    auto& first = execution.make<Watcher>(node, 0, 2);
    auto& last = execution.make<Watcher>(node, 1, 2);
    name_history(execution, first.shared.buffer->history());
    std::optional<ArrivalPrediction> oldest;
    for (std::uint64_t call = 1; call <= ArrivalHistory::kPlans; ++call) {
      require(first.enter(call).has_value(), "there is a place for its plan");
      first.tracker.leave(call);
      const std::optional<ArrivalPrediction> found = last.enter(call);
      if (call == 1) oldest = found;
    }
    for (std::uint64_t call = 2; call <= ArrivalHistory::kPlans; ++call) last.tracker.leave(call);
    execution.thread(
        "first", [&first] { require(first.enter(ArrivalHistory::kPlans + 1).has_value(), "it waits for a place"); });
    execution.thread("last", [&last, oldest] {
      last.expected.assign(oldest->arrivals.begin(), oldest->arrivals.end());
      last.tracker.leave(1);
    });
  };
}

TEST(ArrivalHistories, WriteNoPlanOverThatIsInUse) {
  Node node(2);
  expect_right(no_place(node));
}

TEST(ArrivalHistories, WriteNoPlanOverThatIsInUseWhereMembarrierIsRefused) {
  Node node(2);
  node.have_senders_fence();
  expect_right(no_place(node), without_membarrier());
}

}  // namespace
}  // namespace starling::weak::arrival_history_test
