// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads of one process at the level of PointToPoint: no MPI layer, no launcher.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "p2p/point_to_point.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::p2p {

/// What one rank of a test works with.
struct TestRank {
  std::int32_t rank;
  std::int32_t size;
  PointToPoint& p2p;
  comm::Communicator& world;
  memory::JobSegment& segment;

  [[nodiscard]] Message bytes(void* data, std::int64_t count, std::int32_t peer, std::int32_t tag) const {
    return {data, count, &datatype::predefined(datatype::Basic::kByte), peer, tag, &world};
  }
};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Runs body on `ranks` threads, each a rank with objects of its own over one job segment.
inline void run_ranks(std::int32_t ranks, const Settings& settings, const std::function<void(TestRank&)>& body) {
  config::Store config;
  for (const auto& [name, value] : settings) ASSERT_TRUE(config.set(name, value).ok()) << name;
  auto segment = memory::JobSegment::create(transport::shm::geometry(static_cast<std::uint32_t>(ranks), config));
  ASSERT_TRUE(segment.ok()) << segment.status().message();
  segment.value()->header().usable_cores = std::thread::hardware_concurrency();
  const auto placement =
      memory::Placement::one_node(ranks, static_cast<std::int32_t>(segment.value()->header().usable_cores));
  std::vector<ProcessId> members;
  for (std::int32_t rank = 0; rank < ranks; ++rank) members.push_back(process_of(WorldRank(rank)));
  std::vector<std::thread> threads;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    segment.value()->rank(LocalRank(rank)).pid.store(getpid());
    threads.emplace_back([&, rank] {
      progress::Engine progress(*segment.value(), LocalRank(rank), config);
      auto made = PointToPoint::create(progress, {*segment.value(), placement, WorldRank(rank), config});
      ASSERT_TRUE(made.ok()) << made.status().message();
      comm::Communicator world(0, Ref<comm::Group>::adopt(new comm::Group(members)), rank, {});
      TestRank self{rank, ranks, *made.value(), world, *segment.value()};
      body(self);
      EXPECT_TRUE(made.value()->drain().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace starling::p2p
