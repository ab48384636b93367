// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The binary whose ranks are threads of one process, for ThreadSanitizer and debuggers; it links the engine itself.
#include <atomic>
#include <cstdio>

#include "mpi/env/thread_ranks.hpp"
#include "support/mpi_cases.hpp"
#include "support/rank_threads.hpp"

namespace starling::tests {

std::function<void(const std::function<void()>&)> rank_adopter(RanksAre) {
  mpi::Context& context = *mpi::current();
  return [&context](const std::function<void()>& body) {
    const mpi::ContextScope scope(context);
    body();
  };
}

namespace {

mpi::ThreadRanks job_of(const Options& options) {
  mpi::ThreadRanks job;
  job.ranks = options.threads;
  job.nodes = options.nodes;
  job.dealing = options.round_robin ? mpi::Dealing::kRoundRobin : mpi::Dealing::kBlocks;
  job.settings = options.settings;
  job.joining = options.tcp ? mpi::Joining::kTcp : mpi::Joining::kSimulated;
  job.network.delay_us = options.delay_us;
  job.network.delay = options.random_delay ? transport::loop::Delay::kRandom : transport::loop::Delay::kFixed;
  job.network.seed = options.seed;
  return job;
}

}  // namespace
}  // namespace starling::tests

int main(int argc, char** argv) {
  using namespace starling;
  const tests::Options options = tests::read_options(argc, argv);
  if (options.list) return tests::list_cases();
  if (options.random_delay)
    std::printf("the network's delays have seed %llu\n", static_cast<unsigned long long>(options.seed));
  std::atomic<int> failed{0};
  const int unfinished = mpi::run_ranks_as_threads(
      tests::job_of(options), [&](int) { failed += tests::run_rank(options, tests::RanksAre::kThreads); });
  if (unfinished > 0) std::fprintf(stderr, "%d ranks did not finalize\n", unfinished);
  return failed.load() != 0 || unfinished != 0 ? 1 : 0;
}
