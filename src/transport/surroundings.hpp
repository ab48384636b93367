// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Surroundings: what transports are made from: the process's place in its job, the memory of its node, the network
// between the nodes. Thread safety: a value; what it names outlives the transports.
#pragma once

#include "base/id.hpp"
#include "config/config.hpp"
#include "memory/job_segment.hpp"
#include "memory/placement.hpp"

namespace starling::transport {

class GivenNetwork;
namespace loop {
class Network;
}
namespace tcp {
struct Endpoint;
}

/// What joins the nodes of a job. At most one is there.
struct Networks {
  loop::Network* simulated = nullptr;  ///< of nodes that are parts of one process
  const tcp::Endpoint* tcp = nullptr;  ///< of this rank
  GivenNetwork* given = nullptr;       ///< of who started the ranks
};

struct Surroundings {
  memory::JobSegment& segment;  ///< of this node
  const memory::Placement& placement;
  WorldRank rank;  ///< of this process
  const config::Store& config;
  Networks networks = {};

  [[nodiscard]] LocalRank local_rank() const noexcept { return placement.local_of(rank); }
  /// For what this rank gives to the network and takes from it.
  [[nodiscard]] observe::PacketCounts packet_counts() const noexcept { return segment.packets().of(local_rank()); }
};

}  // namespace starling::transport
