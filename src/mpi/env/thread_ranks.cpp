// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/env/thread_ranks.hpp"

#include <cstdio>
#include <memory>
#include <thread>

#include "base/usable_cores.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::mpi {
namespace {

/// What MPI_Init of one of the threads calls.
Context::JoinWorld joiner(memory::JobSegment& segment, std::shared_ptr<const memory::Placement> placement,
                          WorldRank rank, const config::Store& config) {
  return [&segment, placement = std::move(placement), rank, config](
             const config::Overrides& overrides,
             std::vector<std::string>* /*warnings*/) -> Result<std::unique_ptr<world::World>> {
    config::Store own = config;
    STARLING_TRY(own.set_all(overrides));
    bootstrap::Job job;
    job.segment.reset(&segment);
    job.rank = rank;
    job.local_rank = placement->local_of(rank);
    job.placement = placement;
    return world::World::create(std::move(job), std::move(own), world::SegmentOwner::kCaller);
  };
}

int explain(const Status& failure) {
  std::fprintf(stderr, "starling: the ranks cannot run as threads: %s\n", failure.message().c_str());
  return -1;
}

}  // namespace

int run_ranks_as_threads(int ranks, const std::function<void(int rank)>& body, const config::Overrides& overrides) {
  config::Store config;
  if (const Status set = config.set_all(overrides); !set.ok()) return explain(set);
  auto segment = memory::JobSegment::create(transport::shm::geometry(static_cast<std::uint32_t>(ranks), config));
  if (!segment.ok()) return explain(segment.status());
  segment.value()->header().usable_cores = usable_cores();
  const auto placement = std::make_shared<const memory::Placement>(
      memory::Placement::one_node(ranks, static_cast<std::int32_t>(usable_cores())));

  std::vector<std::unique_ptr<Context>> contexts;
  for (int rank = 0; rank < ranks; ++rank) {
    contexts.push_back(std::make_unique<Context>(joiner(*segment.value(), placement, WorldRank(rank), config),
                                                 Context::Owner::kThread));
  }
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const ContextScope scope(*contexts[static_cast<std::size_t>(rank)]);
      body(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  int unfinished = 0;
  for (const auto& context : contexts) unfinished += context->life == Life::kInside ? 1 : 0;
  return unfinished;
}

}  // namespace starling::mpi
