// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Worlds on several nodes of one process, joined by the simulated network.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "transport/loop/network.hpp"
#include "transport/shm/geometry.hpp"
#include "world/communicators/communicators.hpp"
#include "world/communicators/intercommunicators.hpp"
#include "world/dynamic/spawn.hpp"

namespace starling::world {
namespace {

using Nodes = std::vector<std::vector<WorldRank>>;

const Nodes kTwoNodes{{WorldRank(0), WorldRank(2), WorldRank(3)}, {WorldRank(1), WorldRank(4)}};

/// Runs a job whose ranks are threads; those of the second node belong to part 1 of its command line.
void run_on_nodes(const Nodes& nodes, const std::function<void(World&)>& body) {
  const config::Store config;
  const auto network = transport::loop::Network::create(nodes, {});
  ASSERT_TRUE(network.ok());
  std::vector<memory::Placement::Node> placed;
  for (const std::vector<WorldRank>& ranks : nodes) {
    const auto app = static_cast<std::int32_t>(placed.size());
    placed.push_back({ranks, 1, std::vector<std::int32_t>(ranks.size(), app)});
  }
  std::vector<std::unique_ptr<memory::JobSegment>> segments;
  for (const std::vector<WorldRank>& ranks : nodes) {
    memory::JobGeometry geometry = transport::shm::geometry(static_cast<std::uint32_t>(ranks.size()), config);
    geometry.world_ranks = static_cast<std::uint32_t>(network.value()->ranks());
    auto segment = memory::JobSegment::create(geometry);
    ASSERT_TRUE(segment.ok());
    const auto app = static_cast<std::int32_t>(segments.size());
    for (LocalRank rank{0}; rank.index() < ranks.size(); ++rank.value) segment.value()->rank(rank).app_number = app;
    segments.push_back(std::move(segment).value());
  }
  const auto run = [&](std::int32_t node, WorldRank rank) {
    bootstrap::Job job;
    job.id = segments.front()->header().id;
    job.segment.reset(segments[static_cast<std::size_t>(node)].get());
    job.placement = std::make_shared<const memory::Placement>(placed, node);
    job.rank = rank;
    job.local_rank = job.placement->local_of(rank);
    auto world = World::create(std::move(job), config, SegmentOwner::kCaller, {network.value().get()});
    ASSERT_TRUE(world.ok()) << world.status().message();
    body(*world.value());
    const Status finished = world.value()->finalize();
    EXPECT_TRUE(finished.ok()) << finished.message();
  };
  std::vector<std::thread> threads;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (const WorldRank rank : nodes[node]) threads.emplace_back(run, static_cast<std::int32_t>(node), rank);
  }
  for (std::thread& thread : threads) thread.join();
}

Ref<comm::Communicator> take_made(MadeCommunicator made) {
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.ok() ? std::move(made).value() : Ref<comm::Communicator>();
}

/// Every member has the same number, so every member hears of every other.
void expect_to_work(World& world, comm::Communicator& comm) {
  std::vector<std::uint32_t> ids(static_cast<std::size_t>(comm.size()));
  const std::uint32_t mine = comm.context_id();
  EXPECT_TRUE(world.collectives().allgather(comm, &mine, ids.data(), sizeof mine).ok());
  for (const std::uint32_t id : ids) EXPECT_EQ(id, mine);
}

TEST(Nodes, ShareMemoryInCommunicatorsOfOneNodeOnly) {
  run_on_nodes(kTwoNodes, [](World& world) {
    EXPECT_EQ(world.comm_world()->shared_domain(), nullptr);
    EXPECT_NE(world.comm_self()->shared_domain(), nullptr);
    const std::int32_t node = world.placement().own_node();
    const auto here = take_made(split(world, *world.comm_world(), node, 0));
    ASSERT_TRUE(here);
    ASSERT_NE(here->shared_domain(), nullptr);
    for (std::int32_t rank = 0; rank < here->size(); ++rank) EXPECT_EQ(here->local_rank(rank), LocalRank(rank));
    expect_to_work(world, *here);
    const auto mixed = take_made(split(world, *world.comm_world(), world.rank().value / 2, 0));
    ASSERT_TRUE(mixed);
    // {0, 1}, {2, 3} and {4}
    EXPECT_EQ(mixed->shared_domain() != nullptr, world.rank().value > 1);
    expect_to_work(world, *mixed);
  });
}

TEST(Nodes, GiveAnIntercommunicatorOfTwoNodesSharedMemoryOnItsSidesOnly) {
  run_on_nodes(kTwoNodes, [](World& world) {
    const std::int32_t node = world.placement().own_node();
    const auto here = take_made(split(world, *world.comm_world(), node, 0));
    const PeerLeader way{world.comm_world().get(), 1 - node, 7};
    const auto inter = take_made(intercomm_create(world, *here, 0, way));
    ASSERT_TRUE(inter);
    EXPECT_EQ(inter->shared_domain(), nullptr);
    EXPECT_NE(inter->local()->shared_domain(), nullptr);
    const auto both = take_made(intercomm_merge(world, *inter, node == 0 ? Place::kHigh : Place::kLow));
    ASSERT_TRUE(both);
    EXPECT_EQ(both->size(), 5);
    EXPECT_EQ(both->process(0), process_of(WorldRank(1)));
    EXPECT_EQ(both->shared_domain(), nullptr);
    expect_to_work(world, *both);
  });
}

TEST(Nodes, NeverGiveTheSameContextId) {
  std::mutex mutex;
  std::set<std::uint32_t> seen;
  run_on_nodes(kTwoNodes, [&](World& world) {
    const std::uint32_t step = world.context_id_step(nullptr);
    for (std::uint32_t call = 0; call < 50; ++call) {
      const std::uint32_t count = call % 3 + 1;
      Result<std::uint32_t> first = world.take_context_ids(nullptr, count);
      ASSERT_TRUE(first.ok());
      const std::lock_guard lock(mutex);
      for (std::uint32_t i = 0; i < count; ++i) EXPECT_TRUE(seen.insert(first.value() + i * step).second);
    }
  });
}

TEST(Nodes, AreToldTogetherAndAloneOfAPortThatIsNone) {
  run_on_nodes(kTwoNodes, [](World& world) {
    for (const auto& comm : {world.comm_world(), world.comm_self()}) {
      for (const char* const port : {"", "no port", "starling-port:", "starling-port:1@another host#key"}) {
        const MadeCommunicator accepted = accept(world, *comm, 0, port);
        ASSERT_FALSE(accepted.ok()) << port;
        EXPECT_EQ(accepted.status().error_class(), ErrorClass::kPort) << port;
        EXPECT_FALSE(connect(world, *comm, 0, port).ok()) << port;
      }
    }
  });
}

TEST(Nodes, KnowThePartOfEveryRank) {
  run_on_nodes(kTwoNodes, [](World& world) {
    for (WorldRank rank{0}; rank.value < world.size(); ++rank.value) {
      EXPECT_EQ(world.app_number(rank), world.placement().node_of(rank));
    }
  });
}

// The process that loses a peer ends; the launcher, which would do it sooner, is not here.
TEST(Nodes, ARankThatLosesAnotherEndsTheJobWithASentence) {
  const auto lose = [] {
    const config::Store config;
    const Nodes nodes{{WorldRank(0)}, {WorldRank(1)}};
    const auto network = transport::loop::Network::create(nodes, {}).value();
    memory::JobGeometry geometry = transport::shm::geometry(1, config);
    geometry.world_ranks = 2;
    bootstrap::Job job;
    job.segment = memory::JobSegment::create(geometry).value();
    job.rank = WorldRank(0);
    job.placement = std::make_shared<const memory::Placement>(
        std::vector<memory::Placement::Node>{{nodes[0], 1, {}}, {nodes[1], 1, {}}}, 0);
    auto world = World::create(std::move(job), config, SegmentOwner::kWorld, {network.get()});
    network->kill(WorldRank(1));
    world.value()->progress().wait([] { return false; });
  };
  EXPECT_EXIT(lose(), testing::ExitedWithCode(1), "with code 1: the connection from rank 0 to rank 1");
}

}  // namespace
}  // namespace starling::world
