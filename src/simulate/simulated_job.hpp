// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SimulatedJob: ranks that are SimGrid's actors. A host of the platform is a node; it has a core for each of its ranks.
#pragma once

#include <functional>
#include <memory>
#include <simgrid/s4u.hpp>
#include <vector>

#include "config/config.hpp"
#include "mpi/env/thread_ranks.hpp"
#include "simulate/simulated_network.hpp"
#include "transport/given_network.hpp"

namespace starling::simulate {

struct Cluster {
  std::vector<simgrid::s4u::Host*> hosts;  ///< one for each node
  int ranks = 1;                           ///< in blocks, as many on each node as on another, or one more
  Overheads overheads{};                   ///< of packets between nodes

  [[nodiscard]] int nodes() const noexcept { return static_cast<int>(hosts.size()); }
  [[nodiscard]] std::vector<simgrid::s4u::Host*> host_of_each_rank() const;
};

class SimulatedJob final : private transport::GivenNetwork {
 public:
  static Result<std::unique_ptr<SimulatedJob>> create(const Cluster& cluster, config::Overrides settings);

  /// Runs body(rank) between MPI_Init and MPI_Finalize on each rank, and returns when all have ended. Called by an
  /// actor.
  void run(const std::function<void(int rank)>& body);

  [[nodiscard]] std::uint64_t packets() const noexcept { return network_.packets(); }
  /// Ranks of other nodes that the rank with most of them is connected to.
  [[nodiscard]] std::size_t connections() const { return network_.most_peers(); }

 private:
  explicit SimulatedJob(const Cluster& cluster)
      : hosts_(cluster.host_of_each_rank()), network_(hosts_, cluster.overheads) {}

  [[nodiscard]] Result<std::unique_ptr<transport::Transport>> join(
      const transport::Surroundings& surroundings) override;

  const std::vector<simgrid::s4u::Host*> hosts_;  ///< by rank
  SimulatedNetwork network_;
  std::unique_ptr<mpi::ThreadJob> job_;
};

}  // namespace starling::simulate
