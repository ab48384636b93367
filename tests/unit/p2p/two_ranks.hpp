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
#include "transport/loop/network.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::p2p {

/// What one rank of a test works with.
struct TestRank {
  std::int32_t rank;
  std::int32_t size;
  PointToPoint& p2p;
  comm::Communicator& world;
  memory::JobSegment& segment;
  transport::loop::Network* network;  ///< null on one node

  [[nodiscard]] Message bytes(void* data, std::int64_t count, std::int32_t peer, std::int32_t tag) const {
    return {data, count, &datatype::predefined(datatype::Basic::kByte), peer, tag, &world};
  }
};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Where ranks stand, each with a segment: one node, or with a network a node for each rank.
class TestNodes {
 public:
  TestNodes(std::int32_t ranks, const config::Store& config, const transport::loop::Settings* network) {
    const auto cores = static_cast<std::int32_t>(std::thread::hardware_concurrency());
    std::vector<std::vector<WorldRank>> dealt(network != nullptr ? static_cast<std::size_t>(ranks) : 1);
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      dealt[static_cast<std::size_t>(rank) % dealt.size()].emplace_back(rank);
    std::vector<memory::Placement::Node> nodes;
    for (const auto& here : dealt) nodes.push_back({here, cores});
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      placements_.emplace_back(nodes, static_cast<std::int32_t>(node));
      auto geometry = transport::shm::geometry(static_cast<std::uint32_t>(dealt[node].size()), config);
      geometry.world_ranks = static_cast<std::uint32_t>(ranks);
      segments_.push_back(memory::JobSegment::create(geometry).value());
      segments_.back()->header().usable_cores = static_cast<std::uint32_t>(cores);
    }
    if (network != nullptr) network_ = transport::loop::Network::create(dealt, *network).value();
  }

  [[nodiscard]] transport::Surroundings around(WorldRank rank, const config::Store& config) const {
    const auto node = static_cast<std::size_t>(placements_.front().node_of(rank));
    return {*segments_[node], placements_[node], rank, config, {network_.get()}};
  }

 private:
  std::vector<memory::Placement> placements_;
  std::vector<std::unique_ptr<memory::JobSegment>> segments_;
  std::unique_ptr<transport::loop::Network> network_;
};

enum class AtEnd { kDrain, kLeave };

/// Runs body on `ranks` threads, each a rank with objects of its own. network: between them, where each stands on a
/// node of its own.
inline void run_ranks(std::int32_t ranks, const Settings& settings, const std::function<void(TestRank&)>& body,
                      const transport::loop::Settings* network = nullptr, AtEnd at_end = AtEnd::kDrain) {
  config::Store config;
  for (const auto& [name, value] : settings) ASSERT_TRUE(config.set(name, value).ok()) << name;
  const TestNodes nodes(ranks, config, network);
  std::vector<ProcessId> members;
  for (std::int32_t rank = 0; rank < ranks; ++rank) members.push_back(process_of(WorldRank(rank)));
  std::vector<std::thread> threads;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const transport::Surroundings around = nodes.around(WorldRank(rank), config);
      around.segment.rank(around.local_rank()).pid.store(getpid());
      progress::Engine progress(around.segment, around.local_rank(), config);
      auto made = PointToPoint::create(progress, around);
      ASSERT_TRUE(made.ok()) << made.status().message();
      comm::Communicator world(0, Ref<comm::Group>::adopt(new comm::Group(members)), rank, {});
      TestRank self{rank, ranks, *made.value(), world, around.segment, around.networks.simulated};
      body(self);
      if (at_end == AtEnd::kLeave) return;
      EXPECT_TRUE(made.value()->drain().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace starling::p2p
