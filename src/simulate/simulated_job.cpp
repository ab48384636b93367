// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulated_job.hpp"

#include <mpi.h>

#include <utility>

#include "base/format.hpp"
#include "simulate/simulated_time.hpp"
#include "simulate/simulated_transport.hpp"

namespace starling::simulate {

namespace s4u = simgrid::s4u;

std::vector<s4u::Host*> Cluster::host_of_each_rank() const {
  std::vector<s4u::Host*> of_ranks;
  for (int rank = 0; rank < ranks; ++rank)
    of_ranks.push_back(hosts[static_cast<std::size_t>(std::int64_t{rank} * nodes() / ranks)]);  // as mpi::ThreadRanks
  return of_ranks;
}

Result<std::unique_ptr<SimulatedJob>> SimulatedJob::create(const Cluster& cluster, config::Overrides settings) {
  std::unique_ptr<SimulatedJob> made(new SimulatedJob(cluster));
  // A rank that polls would do so in no time, for ever.
  settings.emplace_back("WAIT", "sleep");
  mpi::ThreadRanks ranks;
  ranks.ranks = cluster.ranks;
  ranks.nodes = cluster.nodes();
  ranks.cores_of_node = (cluster.ranks + cluster.nodes() - 1) / cluster.nodes();
  ranks.settings = std::move(settings);
  ranks.joining = mpi::Joining::kGiven;
  ranks.given = made.get();
  auto job = mpi::ThreadJob::create(ranks);
  if (!job.ok()) return std::move(job).status();
  made->job_ = std::move(job).value();
  return made;
}

Result<std::unique_ptr<transport::Transport>> SimulatedJob::join(const transport::Surroundings& surroundings) {
  return std::unique_ptr<transport::Transport>(std::make_unique<SimulatedTransport>(network_, surroundings));
}

void SimulatedJob::run(const std::function<void(int rank)>& body) {
  std::vector<s4u::ActorPtr> ranks;
  for (std::size_t rank = 0; rank < hosts_.size(); ++rank) {
    ranks.push_back(s4u::Actor::create(formatted("rank {}", rank), hosts_[rank], [this, rank, &body] {
      const InSimulatedTime simulated;
      const mpi::ContextScope scope(job_->context(static_cast<int>(rank)));
      MPI_Init(nullptr, nullptr);
      body(static_cast<int>(rank));
      MPI_Finalize();
    }));
  }
  for (const s4u::ActorPtr& rank : ranks) rank->join();
  network_.close();
}

}  // namespace starling::simulate
