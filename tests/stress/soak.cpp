// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stress/soak.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "stress/soak_rank.hpp"

namespace starling::stress {
namespace {

[[noreturn]] void usage(const char* program) {
  std::fprintf(
      stderr,
      "Usage: %s [--messages N] [--seed N] [--largest BYTES] [--marker TEXT] [--threads RANKS [--nodes NODES]]\n"
      "Sends N random messages among the ranks of the job and checks every byte and every order.\n",
      program);
  std::exit(2);
}

struct Totals {
  long long messages;
  long long bytes;
  long long errors;
};

Totals sum_over_ranks(const SoakRank& soak) {
  const long long mine[3] = {soak.received(), soak.bytes(), soak.errors()};
  long long all[3] = {};
  MPI_Allreduce(mine, all, 3, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  return {all[0], all[1], all[2]};
}

Totals play_all(const SoakOptions& options, int size) {
  SoakRank soak(options);
  const std::int64_t windows = (options.messages + window_size(size) - 1) / window_size(size);
  for (std::int64_t window = 0; window < windows; ++window) soak.play(window);
  Totals totals = sum_over_ranks(soak);
  if (totals.messages != windows * window_size(size)) totals.errors += 1;
  return totals;
}

}  // namespace

SoakCommand read_soak_command(int argc, char** argv) {
  SoakCommand command;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) usage(argv[0]);
    const char* value = argv[i + 1];
    if (name == "--messages") {
      command.options.messages = std::atoll(value);
    } else if (name == "--seed") {
      command.options.seed = std::strtoull(value, nullptr, 10);
    } else if (name == "--largest") {
      command.options.largest_bytes = std::atoi(value);
    } else if (name == "--threads") {
      command.threads = std::atoi(value);
    } else if (name == "--nodes") {
      command.nodes = std::atoi(value);
    } else if (name != "--marker") {  // a marker only makes the process easy to find
      usage(argv[0]);
    }
  }
  return command;
}

int run_soak(const SoakOptions& options) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto begin = std::chrono::steady_clock::now();
  const Totals totals = play_all(options, size);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (rank == 0) {
    std::printf("soak: %lld messages, %.1f MB among %d ranks in %.2f s, seed %llu, %lld errors\n", totals.messages,
                static_cast<double>(totals.bytes) / 1e6, size, took.count(),
                static_cast<unsigned long long>(options.seed), totals.errors);
    std::fflush(stdout);
  }
  MPI_Finalize();
  return totals.errors ? 1 : 0;
}

}  // namespace starling::stress
