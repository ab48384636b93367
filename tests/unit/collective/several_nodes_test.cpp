// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose ranks are on several nodes: every call chooses an algorithm over messages, alike on all nodes,
// and no setting makes it look for shared memory. Data and results: movement_test.cpp, reduction_test.cpp,
// two_groups_test.cpp.
#include <gtest/gtest.h>

#include <vector>

#include "base/format.hpp"
#include "collective/choose/shape.hpp"
#include "collective/levels/levels.hpp"
#include "collective/node/node_memory.hpp"
#include "collective/run/persistent_call.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

constexpr std::uint32_t kNeedsMemory = kSharedBuffer | kSegments | kPredicted;

Arguments sum_of(comm::Communicator& comm, const std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
  Arguments a;
  a.operation = Operation::kAllreduce;
  a.comm = &comm;
  a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  a.receive_type = &datatype::predefined(datatype::Basic::kInt64);
  a.receive_count = static_cast<std::int64_t>(from.size());
  a.send_buffer = from.data();
  a.receive_buffer = to.data();
  return a;
}

std::uint64_t used_arena(RankWorld& world) { return world.p2p().progress().segment().header().arena_used.load(); }

TEST(SeveralNodes, HaveNoSharedMemoryForAnyCall) {
  run_ranks(4, [](RankWorld& world) {
    auto comm = world.communicator(Members::kOnSeveralNodes);
    const std::vector<std::int64_t> mine(100000);
    std::vector<std::int64_t> all(mine.size());
    for (const std::uint32_t instance : {0U, 1U}) {
      NodeMemory memory(instance);
      const Arguments a = sum_of(*comm, mine, all);
      memory.settle(a, agreed_bytes(a));
      EXPECT_TRUE(memory.settled_for(a, agreed_bytes(a)));
      EXPECT_EQ(memory.buffer(), nullptr);
      EXPECT_FALSE(memory.has_segments());
      const Shape shape = shape_of(a, agreed_bytes(a), memory, false);
      EXPECT_FALSE(shape.has_buffer || shape.has_segments);
    }
    EXPECT_EQ(used_arena(world), 0U);
  });
}

/// The shapes that the calls of a communicator without shared memory can have, but for those between two groups.
std::vector<Shape> shapes_of(Operation operation, bool reproducible) {
  std::vector<Shape> shapes;
  for (const std::int32_t ranks : {1, 2, 3, 16, 1000}) {
    for (std::int64_t bytes = 0; bytes < (std::int64_t{1} << 40); bytes = bytes == 0 ? 1 : bytes * 32) {
      for (const bool plain : {false, true}) {
        Shape shape;
        shape.operation = operation;
        shape.ranks = ranks;
        shape.bytes = bytes;
        shape.commutative = shape.dense = plain;
        shape.reproducible = reproducible;
        if (among_neighbors(operation)) shape.neighbors = 4;
        shapes.push_back(shape);
      }
    }
  }
  return shapes;
}

TEST(SeveralNodes, ChooseAnAlgorithmOverMessagesForEveryCall) {
  for (const char* reproducible : {"false", "true"}) {
    config::Store config;
    ASSERT_TRUE(config.set("REPRODUCIBLE", reproducible).ok());
    for (const std::int32_t cores : {1, 64}) {
      const Selector selector = Selector::create(config, cores).value();
      for (std::int32_t i = 0; i < kOperationCount; ++i) {
        for (const Shape& shape : shapes_of(static_cast<Operation>(i), selector.reproducible())) {
          EXPECT_EQ(selector.choose(shape).needs & kNeedsMemory, 0U) << selector.explain(shape);
        }
      }
    }
  }
}

TEST(SeveralNodes, FallBackToMessagesWhereTheVariableNamesASharedAlgorithm) {
  for (const Algorithm* algorithm : algorithms()) {
    if ((algorithm->needs & kNeedsMemory) == 0) continue;
    config::Store config;
    ASSERT_TRUE(config.set(variable(algorithm->operation), algorithm->name).ok());
    const Selector selector = Selector::create(config, 2).value();
    for (const Shape& shape : shapes_of(algorithm->operation, false)) {
      EXPECT_EQ(selector.choose(shape).needs & kNeedsMemory, 0U) << selector.explain(shape);
    }
  }
}

TEST(SeveralNodes, KeepNoAccountOfLateness) {
  run_ranks(4,
            [](RankWorld& world) {
              auto engine = world.engine();
              auto comm = world.communicator(Members::kOnSeveralNodes);
              const std::vector<std::int64_t> mine(20000, world.rank());
              for (int call = 0; call < 5; ++call) {
                std::vector<std::int64_t> all(mine.size(), -1);
                ASSERT_TRUE(engine->run(sum_of(*comm, mine, all)).ok());
                ASSERT_EQ(all, std::vector<std::int64_t>(mine.size(), 6));
                engine->tell_progress(0.5);
              }
              engine->report_late_ranks(*comm);
              EXPECT_EQ(used_arena(world), 0U);
            },
            {{"LATE", "any"}, {"LATE_LEAST_BYTES", "1"}, {"LATE_TABLE", "true"}});
}

TEST(SeveralNodes, RunNonblockingAndPersistentCallsTogether) {
  run_ranks(3, [](RankWorld& world) {
    auto engine = world.engine();
    auto comm = world.communicator(Members::kOnSeveralNodes);
    const std::vector<std::int64_t> mine(5000, world.rank() + 1);
    std::vector<std::vector<std::int64_t>> all(4, std::vector<std::int64_t>(mine.size()));
    auto first = engine->prepare(sum_of(*comm, mine, all[0]));
    auto second = engine->prepare(sum_of(*comm, mine, all[1]));
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(first.value()->algorithm->needs & kNeedsMemory, 0U);
    for (int round = 0; round < 3; ++round) {
      std::vector<p2p::Request*> requests;
      // Ranks may start persistent calls in another order.
      for (const bool begin : {world.rank() == 0, world.rank() != 0}) {
        auto started = engine->start(begin ? *first.value() : *second.value());
        ASSERT_TRUE(started.ok());
        requests.push_back(started.value());
      }
      for (const std::size_t i : {2U, 3U}) {
        auto started = engine->start(sum_of(*comm, mine, all[i]));
        ASSERT_TRUE(started.ok());
        requests.push_back(started.value());
      }
      for (p2p::Request* request : requests) {
        world.p2p().wait(*request);
        EXPECT_TRUE(request->failure.ok()) << request->failure.message();
        request->dispose();
      }
      for (auto& result : all) {
        EXPECT_EQ(result, std::vector<std::int64_t>(mine.size(), 6));
        result.assign(mine.size(), 0);
      }
    }
    EXPECT_EQ(used_arena(world), 0U);
  });
}

TEST(SeveralNodes, CompareTheirCallsWhereThatIsAskedFor) {
  run_ranks(3,
            [](RankWorld& world) {
              auto engine = world.engine();
              auto comm = world.communicator(Members::kOnSeveralNodes);
              const std::vector<std::int64_t> mine(10, 1);
              std::vector<std::int64_t> all(mine.size());
              Arguments a = sum_of(*comm, mine, all);
              EXPECT_TRUE(engine->run(a).ok());
              EXPECT_EQ(all, std::vector<std::int64_t>(mine.size(), 3));
              if (world.rank() == 1) a.op = &datatype::predefined(datatype::PredefinedOp::kMax);
              EXPECT_EQ(engine->run(a).error_class(), ErrorClass::kOp);
              EXPECT_EQ(used_arena(world), 0U);
            },
            {{"CHECK", "collective"}});
}

/// This node has 64 cores, another one has 2, and both choose as if each had 2.
TEST(SeveralNodes, ChooseByTheFewestCoresOfAll) {
  run_ranks(1, [](RankWorld& world) {
    world.p2p().progress().segment().header().usable_cores = 64;
    constexpr std::int32_t kRanksOnEach = 16;
    std::vector<memory::Placement::Node> nodes = {{{}, 64}, {{}, 2}};
    for (std::int32_t rank = 0; rank < 2 * kRanksOnEach; ++rank) {
      nodes[static_cast<std::size_t>(rank / kRanksOnEach)].ranks.emplace_back(rank);
    }
    const memory::Placement placement(nodes, 0);
    config::Store config;
    ASSERT_TRUE(config.set("COLL_LEVELS", "0").ok());
    auto engine = Collectives::create(world.p2p(), placement, config).value();
    const Selector selectors[] = {Selector::create(config, 2).value(), Selector::create(config, 64).value()};
    std::vector<ProcessId> processes;
    for (std::int32_t rank = 0; rank < placement.size(); ++rank) processes.emplace_back(rank);
    auto group = Ref<comm::Group>::adopt(new comm::Group(processes));
    auto comm = Ref<comm::Communicator>::adopt(new comm::Communicator(2, std::move(group), 0, {}));
    NodeMemory memory(1);
    NodeSpread spread = spread_of(*comm, placement);
    spread.levels &= ~kTwoLevels;
    memory.set_levels(spread, nullptr);
    int differ = 0;
    for (std::size_t length = 1; length < 100000; length *= 2) {
      const std::vector<std::int64_t> mine(length);
      std::vector<std::int64_t> all(length);
      const Arguments a = sum_of(*comm, mine, all);
      const Shape shape = shape_of(a, agreed_bytes(a), memory, false);
      EXPECT_EQ(engine->prepare(a).value()->algorithm, &selectors[0].choose(shape)) << selectors[0].explain(shape);
      differ += &selectors[0].choose(shape) != &selectors[1].choose(shape) ? 1 : 0;
    }
    EXPECT_GT(differ, 0) << "the cores change no choice, so this shows nothing";
  });
}

}  // namespace
}  // namespace starling::collective::test
