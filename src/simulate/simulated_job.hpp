// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SimulatedJob: ranks that are SimGrid's actors, each on a host of the platform and alone on its node.
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

class SimulatedJob final : private transport::GivenNetwork {
 public:
  /// hosts: of each rank.
  static Result<std::unique_ptr<SimulatedJob>> create(const std::vector<simgrid::s4u::Host*>& hosts,
                                                      const Overheads& overheads, config::Overrides settings);

  /// Runs body(rank) between MPI_Init and MPI_Finalize on each rank, and returns when all have ended. Called by an
  /// actor.
  void run(const std::function<void(int rank)>& body);

  [[nodiscard]] std::uint64_t packets() const noexcept { return network_.packets(); }

 private:
  SimulatedJob(const std::vector<simgrid::s4u::Host*>& hosts, const Overheads& overheads)
      : hosts_(hosts), network_(hosts, overheads) {}

  [[nodiscard]] Result<std::unique_ptr<transport::Transport>> join(
      const transport::Surroundings& surroundings) override;

  const std::vector<simgrid::s4u::Host*> hosts_;
  SimulatedNetwork network_;
  std::unique_ptr<mpi::ThreadJob> job_;
};

}  // namespace starling::simulate
