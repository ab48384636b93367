// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// stress_soak_threads: ranks are threads of one process, for ThreadSanitizer.
#include <atomic>

#include "mpi/env/thread_ranks.hpp"
#include "stress/soak.hpp"

int main(int argc, char** argv) {
  const starling::stress::SoakCommand command = starling::stress::read_soak_command(argc, argv);
  starling::mpi::ThreadRanks job;
  job.ranks = command.threads;
  job.nodes = command.nodes;
  job.dealing = starling::mpi::Dealing::kRoundRobin;
  job.network.delay_us = 50;
  job.network.delay = starling::transport::loop::Delay::kRandom;
  job.network.seed = command.options.seed;
  std::atomic<int> failed{0};
  const int unfinished =
      starling::mpi::run_ranks_as_threads(job, [&](int) { failed += starling::stress::run_soak(command.options); });
  return failed.load() != 0 || unfinished != 0 ? 1 : 0;
}
