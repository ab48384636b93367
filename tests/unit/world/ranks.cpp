// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "unit/world/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "transport/shm/geometry.hpp"

namespace starling::world {

int run_worlds(int ranks, const std::function<void(World&)>& body, const std::function<void(World&)>& after_finalize) {
  const config::Store config;
  auto segment = memory::JobSegment::create(transport::shm::geometry(static_cast<std::uint32_t>(ranks), config));
  if (!segment.ok()) return ranks;
  const auto placement = std::make_shared<const memory::Placement>(memory::Placement::one_node(ranks, 1));
  std::atomic<int> broken{0};
  const auto run = [&](int rank) {
    bootstrap::Job job;
    job.segment.reset(segment.value().get());
    job.rank = WorldRank(rank);
    job.local_rank = placement->local_of(job.rank);
    job.placement = placement;
    Result<std::unique_ptr<World>> world = World::create(std::move(job), config, SegmentOwner::kCaller);
    EXPECT_TRUE(world.ok()) << world.status().message();
    if (!world.ok()) {
      ++broken;
      return;
    }
    body(*world.value());
    const Status finished = world.value()->finalize();
    EXPECT_TRUE(finished.ok()) << finished.message();
    if (!finished.ok()) ++broken;
    after_finalize(*world.value());
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
  return broken.load();
}

}  // namespace starling::world
