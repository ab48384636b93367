// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The target handler as a whole (rma/target/): an active message is carried out once, by the wait loop or by the agent,
// or is taken back and never carried out; what it moved is there; no origin, agent or waiter of the lock sleeps for an
// end that has come; and what a dead origin has asked for moves nothing any more.
#include "rma/target/target_handler.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <span>

#include "rma/target/agent_loop.hpp"
#include "rma/target/target_service.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::target_handler_test {
namespace {

using rma::Asking;
using rma::TargetHandler;

constexpr LocalRank kTarget(0);
using Place = std::array<std::uint64_t, 4>;

std::uint64_t address_of(const std::uint64_t& number) { return reinterpret_cast<std::uint64_t>(&number); }

struct Rank {
  Rank(Node& node, LocalRank rank)
      : engine(*node.segment, rank, node.config), service(rma::TargetService::create(engine, node.config).value()) {
    EXPECT_TRUE(service->open_for_others().ok());
  }
  bool put(LocalRank target, std::uint64_t value, std::uint64_t& to, Asking asking) {
    const transport::RemoteRun run{address_of(to), sizeof value};
    return service->scatter(target, &value, std::span(&run, 1), asking);
  }
  bool get(LocalRank target, const std::uint64_t& from, std::uint64_t* value, Asking asking) {
    const transport::RemoteRun run{address_of(from), sizeof from};
    return service->gather(target, std::span(&run, 1), value, asking);
  }

  progress::Engine engine;
  std::unique_ptr<rma::TargetService> service;
};

/// What an access of one stretch touches, of the handler of a rank.
void name_handler(Execution& execution, TargetHandler& handler) {
  execution.share(&handler, offsetof(TargetHandler, more_runs));
  execution.name(&handler.lock.holder, "holder");
  execution.name(&handler.lock.waiting, "waiting");
  execution.name(&handler.state, "state");
  execution.name(&handler.asker, "asker");
  execution.name(&handler.agent_asleep, "agent_asleep");
  execution.name(&handler.agent_wakes, "agent_wakes");
}

/// The memory of the target, and the ranks of a node.
struct Job {
  Job(Execution& execution, Node& node, std::uint32_t ranks) : place(execution.make<Place>()) {
    node.share(execution);
    execution.share(place);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) all.push_back(&execution.make<Rank>(node, LocalRank(rank)));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      name_handler(execution, all[0]->service->handler_of(LocalRank(rank)));
    }
  }
  Place& place;
  std::vector<Rank*> all;
};

/// While it waits for its target an origin gives its core away, or sleeps where that is what a model is about.
const Settings kYields = {{"WAIT", "yield"}};

/// An origin has another way; the target looks so often and then computes for ever.
Model polling_target(Node& node, int looks) {
  return [&node, looks](Execution& execution) {
    const Job job(execution, node, 2);
    execution.thread("target", [target = job.all[0], looks] {
      for (int i = 0; i < looks; ++i) target->engine.poll();
    });
    execution.thread("origin", [origin = job.all[1], &place = job.place] {
      if (!origin->put(kTarget, 8, place[0], Asking::kWhileItPolls)) place[0] = 8;
      require(place[0] == 8, "what was put is there");
    });
  };
}

TEST(TargetHandlers, CarryOutAMessageOrGiveItBack) {
  Node node(2);
  expect_right(polling_target(node, 1));
}

TEST(TargetHandlers, CarryOutAMessageOrGiveItBackWhereMembarrierIsRefused) {
  Node node(2);
  node.have_senders_fence();
  expect_right(polling_target(node, 2), without_membarrier());
}

/// Nothing but the handler reaches the memory: the target's agent serves. Who is to be woken and when the agent ends
/// decides nothing that this model is about.
Model agent_of_target(Node& node) {
  return [&node](Execution& execution) {
    const Job job(execution, node, 2);
    TargetHandler& handler = job.all[0]->service->handler_of(kTarget);
    auto& agent = execution.make<rma::AgentLoop>(*node.segment, handler);
    execution.leave_out(&handler.asker);
    execution.leave_out(reinterpret_cast<std::byte*>(&agent) + 2 * sizeof(void*));  // stopping_, behind two references
    job.place[0] = 7;
    execution.thread("agent", [&agent] { agent.run(); });
    execution.thread("origin", [origin = job.all[1], &place = job.place, &agent] {
      std::uint64_t was = 0;
      require(origin->get(kTarget, place[0], &was, Asking::kUntilDone), "it is read");
      require(was == 7, "what is there is read");
      agent.stop();
    });
  };
}

TEST(TargetHandlers, WakeTheAgent) {
  Node node(2, kYields);
  EXPECT_EQ(explore(agent_of_target(node)).wrong, "");
}

TEST(LongTargetHandlers, WakeTheAgent) {
  Node node(2, kYields);
  expect_right(agent_of_target(node));
}

TEST(TargetHandlers, EndAnAgentThatSleeps) {
  Node node(2, kYields);
  expect_right([&node](Execution& execution) {
    const Job job(execution, node, 2);
    auto& agent = execution.make<rma::AgentLoop>(*node.segment, job.all[0]->service->handler_of(kTarget));
    execution.name(reinterpret_cast<std::byte*>(&agent) + 2 * sizeof(void*), "stopping");
    execution.thread("agent", [&agent] { agent.run(); });
    execution.thread("rank", [&agent] { agent.stop(); });
  });
}

/// The agent and the wait loop of the target come at once to what was asked for.
TEST(TargetHandlers, AreServedOnceByTwoThreads) {
  Node node(2, kYields);
  expect_right([&node](Execution& execution) {
    const Job job(execution, node, 2);
    TargetHandler& handler = job.all[0]->service->handler_of(kTarget);
    for (const char* thread : {"agent", "wait loop"}) {
      execution.thread(thread, [&node, &handler] { handler.serve(*node.segment); });
    }
    execution.thread("origin", [origin = job.all[1], &place = job.place] {
      if (!origin->put(kTarget, 8, place[0], Asking::kWhileItPolls)) place[0] = 8;
      require(place[0] == 8, "what was put is there");
    });
  });
}

/// Two ranks ask each other at the same time.
Model each_other(Node& node) {
  return [&node](Execution& execution) {
    const Job job(execution, node, 2);
    job.place = {7, 8};
    for (std::size_t i = 0; i < 2; ++i) {
      execution.thread("rank", [rank = job.all[i], &place = job.place, i] {
        std::uint64_t was = 0;
        if (!rank->get(LocalRank(1 - i), place[i], &was, Asking::kWhileItPolls)) was = place[i];
        require(was == 7 + i, "what is there is read");
      });
    }
  };
}

TEST(TargetHandlers, ServeWhileTheirRanksAsk) {
  Node node(2, kYields);
  EXPECT_EQ(explore(each_other(node)).wrong, "");
}

TEST(LongTargetHandlers, ServeWhileTheirRanksAsk) {
  Node node(2, kYields);
  expect_right(each_other(node));
}

/// Two origins, of which one may find the lock taken.
Model two_origins(Node& node, int looks) {
  return [&node, looks](Execution& execution) {
    const Job job(execution, node, 3);
    execution.thread("target", [target = job.all[0], looks] {
      for (int i = 0; i < looks; ++i) target->engine.poll();
    });
    for (std::size_t i = 1; i <= 2; ++i) {
      execution.thread("origin", [origin = job.all[i], &place = job.place, i] {
        if (!origin->put(kTarget, i, place[i], Asking::kWhileItPolls)) place[i] = i;
        require(place[i] == i, "what was put is there");
      });
    }
  };
}

TEST(TargetHandlers, PassFromOneOriginToTheNext) {
  Node node(3, kYields);
  expect_right(two_origins(node, 1));
}

/// An origin asks and dies; the next takes the handler over. What the dead one has asked for is done before that, or
/// not at all.
Model dead_origin(Node& node, int looks) {
  return [&node, looks](Execution& execution) {
    const Job job(execution, node, 3);
    TargetHandler& handler = job.all[0]->service->handler_of(kTarget);
    memory::RankBlock& block = node.segment->rank(LocalRank(1));
    execution.name(&block.state, "rank's state");
    execution.thread("target", [target = job.all[0], looks] {
      for (int i = 0; i < looks; ++i) target->engine.poll();
    });
    // As TargetService::scatter begins, and as whoever finds out about a death ends.
    execution.thread("dying", [&handler, &block, &node, &place = job.place] {
      if (handler.lock.try_take(LocalRank(1), *node.segment) == rma::OwnedLock::Taken::kNo) return;
      handler.message = TargetHandler::ActiveMessage::kScatter;
      handler.first_address = address_of(place[0]);
      handler.first_bytes = handler.bytes = sizeof place[0];
      handler.run_count = 1;
      const std::uint64_t value = 1;
      std::memcpy(handler.beside, &value, sizeof value);
      handler.asker.store(1, std::memory_order_relaxed);
      handler.state.store(TargetHandler::kAsked, std::memory_order_release);
      block.state.store(memory::RankState::kDead, std::memory_order_release);
    });
    execution.thread("next", [next = job.all[2], &place = job.place] {
      if (!next->put(kTarget, 2, place[0], Asking::kWhileItPolls)) return;
      require(place[0] == 2, "the dead rank's put comes before it");
    });
  };
}

// With membarrier a sleeper's own would do what asker and state need their order for.
TEST(TargetHandlers, PassFromADeadOrigin) {
  Node node(3);
  node.have_senders_fence();
  EXPECT_EQ(explore(dead_origin(node, 1), without_membarrier()).wrong, "");
}

TEST(LongTargetHandlers, PassFromADeadOrigin) {
  Node node(3);
  node.have_senders_fence();
  expect_right(dead_origin(node, 1), without_membarrier());
}

}  // namespace
}  // namespace starling::weak::target_handler_test
