// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "transport/shm/geometry.hpp"
#include "unit/world/ranks.hpp"

namespace starling::world {
namespace {

TEST(World, GivesEachRankItsPlaceInBothCommunicators) {
  EXPECT_EQ(0, run_worlds(4, [](World& world) {
              EXPECT_EQ(world.comm_world()->rank(), world.rank().value);
              EXPECT_EQ(world.comm_world()->size(), 4);
              EXPECT_EQ(world.comm_self()->rank(), 0);
              EXPECT_EQ(world.comm_self()->size(), 1);
              EXPECT_EQ(world.comm_self()->process(0), world.process());
              EXPECT_NE(world.comm_self()->context_id(), world.comm_world()->context_id());
            }));
}

TEST(World, IsAJobOfOneWithoutALauncher) {
  std::vector<std::string> warnings;
  Result<std::unique_ptr<World>> world = join_world({}, &warnings);
  ASSERT_TRUE(world.ok()) << world.status().message();
  EXPECT_EQ(world.value()->size(), 1);
  EXPECT_TRUE(world.value()->finalize().ok());
}

TEST(World, DoesNotJoinRanksOfAnotherBuildOfTheLibrary) {
  const config::Store config;
  bootstrap::Job job;
  job.segment = std::move(memory::JobSegment::create(transport::shm::geometry(1, config))).value();
  job.placement = std::make_shared<const memory::Placement>(memory::Placement::one_node(1, 1));
  job.segment->header().library_layout = 1;  // a rank with another library has been here first
  const Result<std::unique_ptr<World>> world = World::create(std::move(job), config);
  ASSERT_FALSE(world.ok());
  EXPECT_NE(world.status().message().find("another build of the library"), std::string::npos);
}

TEST(World, NeverGivesAContextIdTwice) {
  std::mutex mutex;
  std::set<std::uint32_t> seen;
  EXPECT_EQ(0, run_worlds(4, [&](World& world) {
              for (std::uint32_t call = 0; call < 50; ++call) {
                Result<std::uint32_t> first = world.take_context_ids(nullptr, call % 3 + 1);
                ASSERT_TRUE(first.ok());
                const std::lock_guard lock(mutex);
                for (std::uint32_t id = first.value(); id < first.value() + 2 * (call % 3 + 1); id += 2) {
                  EXPECT_TRUE(seen.insert(id).second) << id;
                  EXPECT_NE(id, world.comm_world()->context_id());
                  EXPECT_NE(id, world.comm_self()->context_id());
                }
              }
            }));
}

TEST(World, LeavesFinalizeOnlyWhenAllRanksHaveArrived) {
  std::atomic<int> arrived{0};
  std::atomic<int> too_early{0};
  EXPECT_EQ(0, run_worlds(
                   3,
                   [&](World& world) {
                     if (world.rank().value == 2) std::this_thread::sleep_for(std::chrono::milliseconds(100));
                     ++arrived;
                   },
                   [&](World& /*world*/) { too_early += arrived.load() != 3 ? 1 : 0; }));
  EXPECT_EQ(too_early.load(), 0);
}

}  // namespace
}  // namespace starling::world
