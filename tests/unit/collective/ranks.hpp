// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads: each with its own progress, point-to-point and collective engines over one job segment, or over one
// for each of several nodes that a simulated network joins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collective/choose/algorithm.hpp"
#include "collective/collectives.hpp"
#include "comm/communicator.hpp"
#include "config/config.hpp"
#include "memory/placement.hpp"
#include "p2p/point_to_point.hpp"
#include "progress/engine.hpp"
#include "transport/surroundings.hpp"

namespace starling::collective::test {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Where the members of a communicator are, as it says itself.
enum class Members : std::uint8_t { kOnOneNode, kOnSeveralNodes };

/// What one thread has.
class RankWorld {
 public:
  RankWorld(memory::JobSegment& segment, const memory::Placement& placement, std::int32_t rank,
            const Settings& settings, transport::Networks networks = {});

  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int32_t size() const noexcept { return placement_.size(); }
  [[nodiscard]] const memory::Placement& placement() const noexcept { return placement_; }
  /// Packets that this rank has taken from other nodes.
  [[nodiscard]] std::uint32_t packets_taken() const;
  [[nodiscard]] p2p::PointToPoint& p2p() noexcept { return *p2p_; }

  /// A collective engine with further settings, and a communicator of all ranks with a context id of its own. All ranks
  /// ask in the same order.
  std::unique_ptr<Collectives> engine(const Settings& settings = {});
  Ref<comm::Communicator> communicator(Members members = Members::kOnOneNode);
  /// Of these ranks, in this order, on one node or on several as they are; null on others, which ask as well.
  Ref<comm::Communicator> communicator(const std::vector<std::int32_t>& ranks);
  /// For communicators made by hand.
  [[nodiscard]] comm::Communicator::Common common(Members members) const;

 private:
  Settings settings_;
  config::Store config_;
  std::int32_t rank_;
  memory::Placement placement_;
  Ref<comm::SharedDomain> domain_;
  std::uint32_t next_context_ = 0;
  std::unique_ptr<progress::Engine> progress_;
  std::unique_ptr<p2p::PointToPoint> p2p_;
};

/// Runs body on `size` threads, waits for all, and drains their messages before any engine dies. cores: that the ranks
/// believe to have; 0: those that there are.
void run_ranks(std::int32_t size, const std::function<void(RankWorld&)>& body, const Settings& settings = {},
               std::uint32_t cores = 0);

/// The same, once as if all shared a core and once as if each had one, since what goes over shared memory has ways of
/// its own for either.
void run_ranks_with_few_and_many_cores(std::int32_t size, const std::function<void(RankWorld&)>& body);

/// The ranks of each node.
using Nodes = std::vector<std::vector<std::int32_t>>;

/// The same with ranks on several nodes.
void run_on_nodes(const Nodes& nodes, const std::function<void(RankWorld&)>& body, const Settings& settings = {});

/// Nodes with ranks side by side and dealt around, evenly and unevenly, one of them alone.
[[nodiscard]] const std::vector<Nodes>& kinds_of_nodes();

/// Any number of ranks on any nodes, and some of them in any order. A function of the seed.
struct RandomNodes {
  explicit RandomNodes(std::uint64_t seed);
  Nodes nodes;
  std::vector<std::int32_t> members;
};

/// The seeds of a storm: STORM_SEED in the environment, or as many as `count` from a clock.
[[nodiscard]] std::vector<std::uint64_t> storm_seeds(int count);

/// The numbers of ranks that every algorithm is tried with.
[[nodiscard]] std::vector<std::int32_t> rank_counts();

/// What a sweep of all algorithms tries: all, or the one that ALGORITHM names in the environment ("bcast/chain").
[[nodiscard]] std::vector<const Algorithm*> tried_algorithms();

/// Of the algorithms that are tried, those whose form depends on what messages cost.
[[nodiscard]] std::vector<const Algorithm*> shaped_by_costs();
/// Settings with which a rank sends several messages before the first has arrived: a few, and many.
[[nodiscard]] std::vector<Settings> several_at_once();

/// "STARLING_COLL_..." of an operation.
[[nodiscard]] std::string variable(Operation operation);

}  // namespace starling::collective::test
