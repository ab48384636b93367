// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collectives in levels: when they are chosen, what crosses the network, what they share with the calls beside them.
// Data and results: movement_test.cpp, reduction_test.cpp.
#include "collective/levels/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <bit>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "collective/choose/shape.hpp"
#include "collective/run/persistent_call.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

constexpr std::int32_t kRanksOnNode = 3;

/// So many nodes with three ranks each: around = false: which follow each other.
Nodes even_nodes(std::int32_t nodes, bool around = false) {
  Nodes made(static_cast<std::size_t>(nodes));
  for (std::int32_t rank = 0; rank < nodes * kRanksOnNode; ++rank) {
    made[static_cast<std::size_t>(around ? rank % nodes : rank / kRanksOnNode)].push_back(rank);
  }
  return made;
}

Arguments sum_of(comm::Communicator& comm, const std::vector<double>& from, std::vector<double>& to) {
  Arguments a;
  a.operation = Operation::kAllreduce;
  a.comm = &comm;
  a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  a.receive_type = &datatype::predefined(datatype::Basic::kDouble);
  a.receive_count = static_cast<std::int64_t>(from.size());
  a.send_buffer = from.data();
  a.receive_buffer = to.data();
  return a;
}

Arguments bcast_of(comm::Communicator& comm, std::vector<double>& values, std::int32_t root) {
  Arguments a;
  a.operation = Operation::kBcast;
  a.comm = &comm;
  a.root = root;
  a.receive_type = &datatype::predefined(datatype::Basic::kDouble);
  a.receive_count = static_cast<std::int64_t>(values.size());
  a.receive_buffer = values.data();
  return a;
}

const char* chosen(Collectives& engine, const Arguments& a) { return engine.prepare(a).value()->algorithm->name; }

TEST(Levels, KnowHowRanksLieOnNodes) {
  run_on_nodes({{0, 1}, {2, 3}, {4}}, [](RankWorld& world) {
    const auto spread = [&](const std::vector<std::int32_t>& ranks) {
      const auto comm = world.communicator(ranks);
      return comm ? spread_of(*comm, world.placement()) : NodeSpread{-1};
    };
    const auto expect = [](const NodeSpread& found, const NodeSpread& right) {
      if (found.nodes < 0) return;  // no member
      EXPECT_EQ(found.nodes, right.nodes);
      EXPECT_EQ(found.node_ranks, right.node_ranks);
      EXPECT_EQ(found.levels, right.levels);
    };
    expect(spread({0, 1, 2, 3, 4}), {3, 2, kTwoLevels | kInNodeOrder});
    expect(spread({2, 3, 1, 0}), {2, 2, kTwoLevels | kInNodeOrder | kEvenNodes});
    expect(spread({0, 2, 1, 3}), {2, 2, kTwoLevels | kEvenNodes});
    expect(spread({0, 2, 4}), {3, 1, kInNodeOrder | kEvenNodes});
    expect(spread({0, 1}), {});
  });
}

/// Runs body on every rank and returns how many packets each has taken from other nodes, by rank: nothing is sent while
/// they are counted.
std::vector<std::uint32_t> packets_of(const Nodes& nodes, const Settings& settings,
                                      const std::function<void(RankWorld&)>& body) {
  const std::size_t ranks = nodes.size() * kRanksOnNode;
  std::vector<std::uint32_t> taken(ranks);
  std::barrier everybody(static_cast<std::ptrdiff_t>(ranks));
  run_on_nodes(
      nodes,
      [&](RankWorld& world) {
        body(world);
        everybody.arrive_and_wait();
        taken[static_cast<std::size_t>(world.rank())] = world.packets_taken();
        everybody.arrive_and_wait();
      },
      settings);
  return taken;
}

TEST(Levels, LetABroadcastEnterEachNodeOnce) {
  for (const bool around : {false, true}) {
    const Nodes nodes = even_nodes(4, around);
    for (std::int32_t root = 0; root < 12; ++root) {
      const auto taken = packets_of(nodes, {{"COLL_BCAST", "levels"}}, [&](RankWorld& world) {
        auto engine = world.engine();
        auto comm = world.communicator(Members::kOnSeveralNodes);
        std::vector<double> values(100, comm->rank() == root ? root : -1);
        EXPECT_TRUE(engine->run(bcast_of(*comm, values, root)).ok());
        EXPECT_EQ(values, std::vector<double>(100, root));
      });
      for (const std::vector<std::int32_t>& node : nodes) {
        std::uint32_t entered = 0;
        for (const std::int32_t rank : node) entered += taken[static_cast<std::size_t>(rank)];
        EXPECT_EQ(entered, std::ranges::count(node, root) != 0 ? 0U : 1U) << "root " << root;
      }
    }
  }
}

TEST(Levels, OfScansAreForNodesWhoseRanksFollowEachOther) {
  for (const Operation operation : {Operation::kScan, Operation::kExscan}) {
    for (const bool around : {false, true}) {
      const Nodes nodes = even_nodes(4, around);
      const auto taken = packets_of(nodes, {{variable(operation), "levels"}}, [&](RankWorld& world) {
        auto engine = world.engine();
        auto comm = world.communicator(Members::kOnSeveralNodes);
        const std::vector<double> mine(1, world.rank());
        std::vector<double> sum(1);
        Arguments a = sum_of(*comm, mine, sum);
        a.operation = operation;
        EXPECT_EQ(std::string(chosen(*engine, a)) == "levels", !around);
        EXPECT_TRUE(engine->run(a).ok());
        const std::int32_t last = operation == Operation::kScan ? world.rank() : world.rank() - 1;
        if (last < 0) return;  // nobody knows what is there
        EXPECT_EQ(sum[0], last * (last + 1) / 2.0);
      });
      for (std::size_t rank = 0; rank < taken.size() && !around; ++rank) {
        const bool closes = rank % kRanksOnNode + 1 == kRanksOnNode;
        EXPECT_TRUE(closes || taken[rank] == 0) << rank;
      }
    }
  }
}

TEST(Levels, SendLog2OfTheNodesMessagesForAShortAllreduce) {
  constexpr std::uint32_t kCalls = 5;
  for (const std::uint32_t count : {2U, 4U}) {
    const Nodes nodes = even_nodes(static_cast<std::int32_t>(count));
    const auto taken = packets_of(nodes, {}, [&](RankWorld& world) {
      auto engine = world.engine();
      auto comm = world.communicator(Members::kOnSeveralNodes);
      const std::vector<double> mine(1, world.rank());
      std::vector<double> all(1);
      EXPECT_STREQ(chosen(*engine, sum_of(*comm, mine, all)), "levels");
      for (std::uint32_t call = 0; call < kCalls; ++call) {
        EXPECT_TRUE(engine->run(sum_of(*comm, mine, all)).ok());
        EXPECT_EQ(all[0], world.size() * (world.size() - 1) / 2.0);
      }
    });
    for (std::size_t rank = 0; rank < taken.size(); ++rank) {
      const bool leads = rank % kRanksOnNode == 0;
      EXPECT_EQ(taken[rank], leads ? kCalls * static_cast<std::uint32_t>(std::countr_zero(count)) : 0U) << rank;
    }
  }
}

TEST(Levels, SendAsManyMessagesAtOnceBetweenTheNodesAsTheCostsSay) {
  for (const auto& [next_ns, expected] : {std::pair{"9000", 2U}, std::pair{"10", 3U}}) {
    const Settings settings = {{"COLL_MESSAGE_NS", "9000"}, {"COLL_NEXT_NS", next_ns}, {"COLL_SEND_NS", next_ns}};
    const Nodes nodes = even_nodes(4);
    const auto taken = packets_of(nodes, settings, [&](RankWorld& world) {
      auto engine = world.engine(settings);
      auto comm = world.communicator(Members::kOnSeveralNodes);
      Arguments a;
      a.operation = Operation::kBarrier;
      a.comm = comm.get();
      EXPECT_STREQ(chosen(*engine, a), "levels");
      EXPECT_TRUE(engine->run(a).ok());
    });
    for (std::size_t rank = 0; rank < taken.size(); ++rank) {
      EXPECT_EQ(taken[rank], rank % kRanksOnNode == 0 ? expected : 0U) << rank << ", next " << next_ns;
    }
  }
}

/// Short calls of ranks on several nodes go in levels, unless that is switched off.
TEST(Levels, AreChosenForShortCallsAndCanBeSwitchedOff) {
  for (const char* in_levels : {"true", "false"}) {
    run_on_nodes(even_nodes(2, true), [&](RankWorld& world) {
      auto engine = world.engine({{"COLL_LEVELS", in_levels}});
      auto forced = world.engine({{"COLL_LEVELS", in_levels}, {"COLL_BCAST", "levels"}});
      auto of_forced = world.communicator(Members::kOnSeveralNodes);
      auto comm = world.communicator(Members::kOnSeveralNodes);
      const std::vector<double> mine(1, 1);
      std::vector<double> all(1);
      const bool on = std::string(in_levels) == "true";
      EXPECT_EQ(std::string(chosen(*engine, sum_of(*comm, mine, all))) == "levels", on);
      EXPECT_EQ(std::string(chosen(*engine, bcast_of(*comm, all, 1))) == "levels", on);
      EXPECT_EQ(std::string(chosen(*forced, bcast_of(*of_forced, all, 1))) == "levels", on);
      Arguments barrier;
      barrier.comm = comm.get();
      EXPECT_EQ(std::string(chosen(*engine, barrier)) == "levels", on);
      EXPECT_TRUE(engine->run(sum_of(*comm, mine, all)).ok());
      EXPECT_EQ(all[0], world.size());
      // And none is chosen where there is one node, or one rank on each.
      auto apart = world.communicator({0, 1});
      auto together = world.communicator({0, 2, 4});
      for (comm::Communicator* other : {apart.get(), together.get()}) {
        if (other == nullptr) continue;
        EXPECT_STRNE(chosen(*engine, bcast_of(*other, all, 1)), "levels");
      }
    });
  }
}

/// The bits are those of one order of ranks, on any nodes.
TEST(Levels, KeepTheOrderOfReproducibleReductions) {
  std::vector<std::vector<double>> results;
  std::mutex mutex;
  for (const Nodes& nodes : {even_nodes(2), even_nodes(2, true), even_nodes(3), Nodes{{0, 1, 2, 3, 4, 5}, {6, 7, 8}}}) {
    run_on_nodes(nodes,
                 [&](RankWorld& world) {
                   auto engine = world.engine({{"COLL_ALLREDUCE", "levels"}});
                   auto comm = world.communicator({5, 1, 0, 3, 2, 4});
                   if (!comm) return;
                   std::vector<double> mine;
                   for (int i = 0; i < 50; ++i)
                     mine.push_back((comm->rank() % 2 == 0 ? 1e16 : -1e16) + 0.3 * comm->rank() + i);
                   std::vector<double> all(mine.size());
                   EXPECT_STRNE(chosen(*engine, sum_of(*comm, mine, all)), "levels");
                   EXPECT_TRUE(engine->run(sum_of(*comm, mine, all)).ok());
                   const std::scoped_lock lock(mutex);
                   results.push_back(all);
                 },
                 {{"REPRODUCIBLE", "true"}});
  }
  ASSERT_EQ(results.size(), 24U);
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(Levels, ServeNonblockingAndPersistentCallsBesideEachOther) {
  for (const bool around : {false, true}) {
    run_on_nodes(even_nodes(2, around),
                 [](RankWorld& world) {
                   auto engine = world.engine();
                   auto comm = world.communicator(Members::kOnSeveralNodes);
                   const std::vector<double> mine(300, world.rank() + 1);
                   std::vector<std::vector<double>> all(4, std::vector<double>(mine.size()));
                   std::vector<double> given(7);
                   auto first = engine->prepare(sum_of(*comm, mine, all[0]));
                   auto second = engine->prepare(sum_of(*comm, mine, all[1]));
                   ASSERT_TRUE(first.ok() && second.ok());
                   ASSERT_STREQ(first.value()->algorithm->name, "levels");
                   for (int round = 0; round < 4; ++round) {
                     const std::int32_t root = round % world.size();
                     given.assign(7, world.rank() == root ? round : -1);
                     std::vector<p2p::Request*> requests;
                     // Ranks may start persistent calls in another order.
                     for (const bool begin : {world.rank() % 2 == 0, world.rank() % 2 != 0}) {
                       requests.push_back(engine->start(begin ? *first.value() : *second.value()).value());
                     }
                     requests.push_back(engine->start(sum_of(*comm, mine, all[2])).value());
                     requests.push_back(engine->start(bcast_of(*comm, given, root)).value());
                     requests.push_back(engine->start(sum_of(*comm, mine, all[3])).value());
                     for (p2p::Request* request : requests) {
                       world.p2p().wait(*request);
                       EXPECT_TRUE(request->failure.ok()) << request->failure.message();
                       request->dispose();
                     }
                     EXPECT_EQ(given, std::vector<double>(7, round));
                     for (auto& result : all) {
                       EXPECT_EQ(result, std::vector<double>(mine.size(), 21));
                       result.assign(mine.size(), 0);
                     }
                   }
                 },
                 {{"COLL_ALLREDUCE", "levels"}, {"COLL_BCAST", "levels"}});
  }
}

TEST(Levels, CompareTheirCallsWhereThatIsAskedFor) {
  run_on_nodes(even_nodes(2, true),
               [](RankWorld& world) {
                 auto engine = world.engine();
                 auto comm = world.communicator(Members::kOnSeveralNodes);
                 const std::vector<double> mine(10, 1);
                 std::vector<double> all(mine.size());
                 Arguments a = sum_of(*comm, mine, all);
                 for (int call = 0; call < 20; ++call) {
                   all.assign(all.size(), 0);
                   EXPECT_TRUE(engine->run(a).ok());
                   EXPECT_EQ(all, std::vector<double>(mine.size(), 6));
                 }
                 if (world.rank() == 1) a.op = &datatype::predefined(datatype::PredefinedOp::kMax);
                 EXPECT_EQ(engine->run(a).error_class(), ErrorClass::kOp);
               },
               {{"CHECK", "collective"}, {"COLL_ALLREDUCE", "levels"}});
}

/// Short vectors go by the leaders, long ones by all ranks, and with a core each the nodes work beside the messages.
TEST(Levels, UseAllLanesForLongVectors) {
  const Selector two_cores = Selector::create({}, 2).value();
  const Selector core_each = Selector::create({}, 4).value();
  const auto chosen_by = [](const Selector& selector, const Shape& shape) {
    return std::string(selector.choose(shape).name);
  };
  for (const std::int64_t bytes : {8, 4096, 65536}) {
    EXPECT_EQ(chosen_by(two_cores, usual_shape(Operation::kAllreduce, 8, bytes, 2)), "levels") << bytes;
  }
  for (const auto& [operation, bytes] : {std::pair{Operation::kAllreduce, 1 << 20},
                                         {Operation::kReduceScatter, 4 << 20},
                                         {Operation::kReduceScatterBlock, 4 << 20}}) {
    const Shape even = usual_shape(operation, 8, bytes, 2);
    EXPECT_EQ(chosen_by(core_each, even), "pipelined_lanes");
    EXPECT_NE(chosen_by(two_cores, even), "pipelined_lanes") << "nothing goes on beside messages";
    EXPECT_EQ(chosen_by(two_cores, usual_shape(operation, 8, 64, 2)), "levels");
    Shape in_rank_order = even;
    in_rank_order.commutative = false;
    EXPECT_EQ(chosen_by(core_each, in_rank_order), "lanes");
    const std::string uneven = chosen_by(core_each, usual_shape(operation, 7, bytes, 2));
    EXPECT_EQ(uneven.find("lanes"), std::string::npos) << uneven;
  }
}

/// Of halves between nodes a rank sends first what goes on first, where pieces are worth messages of their own.
TEST(Levels, CutHalvesWhereAPieceIsWorthAMessage) {
  // Four ranks: two steps there and two back; of the first and of the last the two parts may go by themselves.
  for (const auto& [message_ns, expected] : {std::pair{"1e9", 4U}, std::pair{"1", 6U}}) {
    const Settings settings = {{"COLL_MESSAGE_NS", message_ns}, {"COLL_ALLREDUCE", "rabenseifner"}};
    const auto taken = packets_of(even_nodes(4), settings, [&](RankWorld& world) {
      auto engine = world.engine(settings);
      auto comm = world.communicator({0, 3, 6, 9});
      if (!comm) return;
      const std::vector<double> mine(101, comm->rank() + 1);
      std::vector<double> all(mine.size());
      EXPECT_STREQ(chosen(*engine, sum_of(*comm, mine, all)), "rabenseifner");
      EXPECT_TRUE(engine->run(sum_of(*comm, mine, all)).ok());
      EXPECT_EQ(all, std::vector<double>(mine.size(), 10));
    });
    for (std::size_t rank = 0; rank < taken.size(); ++rank) {
      EXPECT_EQ(taken[rank], rank % kRanksOnNode == 0 ? expected : 0U) << rank << ", a message takes " << message_ns;
    }
  }
}

/// A leader waits for another node, its companions for it in shared memory: all of them can be interrupted.
TEST(Levels, EndWhereTheyWaitWhenTheyAreInterrupted) {
  run_on_nodes(even_nodes(2), [](RankWorld& world) {
    auto engine = world.engine({{"COLL_ALLREDUCE", "levels"}});
    auto comm = world.communicator(Members::kOnSeveralNodes);
    const std::vector<double> mine(3, 1);
    std::vector<double> all(mine.size());
    std::vector<double> next(mine.size());
    const bool stays_away = world.rank() == kRanksOnNode;  // the other leader
    if (!stays_away) {
      p2p::Request& first = *engine->start(sum_of(*comm, mine, all)).value();
      p2p::Request& second = *engine->start(sum_of(*comm, mine, next)).value();
      for (int i = 0; i < 1000; ++i) world.p2p().progress().poll();
      EXPECT_FALSE(first.complete() || second.complete());
      const Status why = Status::error(ErrorClass::kRevoked, "enough");
      world.p2p().interrupt(comm->collective_context_id(), why);
      engine->interrupt(*comm, why);
      for (p2p::Request* request : {&first, &second}) {
        ASSERT_TRUE(request->complete());
        EXPECT_EQ(request->failure.error_class(), ErrorClass::kRevoked);
        request->dispose();
      }
    }
    auto after = world.communicator(Members::kOnSeveralNodes);
    EXPECT_TRUE(engine->run(sum_of(*after, mine, all)).ok());
    EXPECT_EQ(all, std::vector<double>(mine.size(), 6));
  });
}

TEST(Levels, AreExplainedByTheirPhases) {
  const Selector selector = Selector::create({}, 2).value();
  const std::string text = selector.explain(usual_shape(Operation::kAllreduce, 8, 8, 2));
  EXPECT_NE(text.find("bytes of the vector: levels"), std::string::npos) << text;
  EXPECT_NE(text.find("reduce shared, 4 ranks, 8 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("allreduce recursive_doubling, 2 ranks, 8 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("bcast shared, 4 ranks, 8 bytes"), std::string::npos) << text;
}

/// A rank is named as the program knows it.
TEST(Levels, NameTheRanksThatDisagreeAsTheProgramDoes) {
  run_on_nodes({{0, 2, 4}, {1, 3, 5}},
               [](RankWorld& world) {
                 auto engine = world.engine();
                 auto comm = world.communicator(Members::kOnSeveralNodes);
                 // The root's size is another than that of its node's ranks; the other node believes the leader.
                 std::vector<double> values(world.rank() == 4 ? 2 : 1);
                 const Status status = engine->run(bcast_of(*comm, values, 2));
                 if (world.rank() != 4) {
                   EXPECT_TRUE(status.ok()) << status.message();
                   return;
                 }
                 EXPECT_EQ(status.error_class(), ErrorClass::kTruncate);
                 EXPECT_NE(status.message().find("rank 2 "), std::string::npos) << status.message();
               },
               {{"COLL_BCAST", "levels"}});
}

}  // namespace
}  // namespace starling::collective::test
