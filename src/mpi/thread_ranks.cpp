// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/thread_ranks.hpp"

#include <cstdio>
#include <memory>
#include <thread>

#include "topology/usable_cores.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::mpi {
namespace {

Result<config::Store> make_config(const ConfigOverrides& overrides) {
  config::Store config;
  for (const auto& [name, value] : overrides) STARLING_TRY(config.set(name, value));
  return config;
}

/// What MPI_Init of one of the threads calls.
Context::JoinWorld joiner(memory::JobSegment& segment, int rank, const config::Store& config) {
  return [&segment, rank, config](std::vector<std::string>* /*warnings*/) {
    bootstrap::Job job;
    job.segment.reset(&segment);
    job.rank = static_cast<std::uint32_t>(rank);
    job.size = segment.ranks();
    return world::World::create(std::move(job), config, world::SegmentOwner::kCaller);
  };
}

int explain(const Status& failure) {
  std::fprintf(stderr, "starling: the ranks cannot run as threads: %s\n", failure.message().c_str());
  return -1;
}

}  // namespace

int run_ranks_as_threads(int ranks, const std::function<void(int rank)>& body, const ConfigOverrides& overrides) {
  Result<config::Store> config = make_config(overrides);
  if (!config.ok()) return explain(config.status());
  auto segment =
      memory::JobSegment::create(transport::shm::geometry(static_cast<std::uint32_t>(ranks), config.value()));
  if (!segment.ok()) return explain(segment.status());
  segment.value()->header().usable_cores = topology::usable_cores();

  std::vector<std::unique_ptr<Context>> contexts;
  for (int rank = 0; rank < ranks; ++rank) {
    contexts.push_back(
        std::make_unique<Context>(joiner(*segment.value(), rank, config.value()), Context::Owner::kThread));
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
