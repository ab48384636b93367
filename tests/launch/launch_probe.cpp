// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// launch_probe <what> [rank] [number]: joins its job as an MPI program does and then lives or dies as told. With a
// rank, only that rank does it and the others sleep as if inside MPI.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "bootstrap/crash/crash_handlers.hpp"
#include "bootstrap/job.hpp"

namespace {

using namespace starling;

struct Life {
  bootstrap::Job job;
  std::unique_ptr<bootstrap::CrashHandlers> handlers;

  void finalize() {
    handlers.reset();
    bootstrap::announce(job, memory::RankState::kFinalized);
    bootstrap::take_leave(job);
  }
};

[[noreturn]] void sleep_as_in_mpi() {
  for (;;) pause();
}

__attribute__((noinline)) void write_through(volatile int* pointer) { *pointer = 1; }

__attribute__((noinline)) int recurse_for_ever(volatile char* outer) {
  volatile char frame[4096];
  frame[0] = *outer;
  return *outer != 1 ? recurse_for_ever(frame) + frame[0] : 0;
}

void die_of(std::string_view what, Life& life, int number) {
  if (what == "segv") write_through(reinterpret_cast<int*>(0x10));
  if (what == "null_call") {
    void (*volatile nowhere)() = nullptr;
    nowhere();
  }
  volatile char start = 0;
  if (what == "overflow") recurse_for_ever(&start);
  if (what == "throw") throw std::runtime_error("the matrix is singular");
  if (what == "abort") std::abort();
  if (what == "mpi_abort") bootstrap::abort(life.job, number, "no more food");
  if (what == "exit") std::exit(number);
  if (what == "late_exit") {
    life.finalize();
    std::exit(number);
  }
}

Life start() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  memory::JobGeometry geometry;
  Result<bootstrap::Job> joined = bootstrap::join(geometry);
  if (!joined.ok()) {
    std::fprintf(stderr, "%s\n", joined.status().message().c_str());
    std::exit(99);
  }
  return {std::move(joined).value(), nullptr};
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "hello";
  const int only = argc > 2 && what != "system" ? std::atoi(argv[2]) : -1;
  const int number = argc > 3 ? std::atoi(argv[3]) : 0;
  Life life = start();
  life.handlers = std::make_unique<bootstrap::CrashHandlers>(life.job);
  for (const std::string& warning : life.job.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  bootstrap::announce(life.job, memory::RankState::kInitialized);

  const bool mine = only < 0 || WorldRank(only) == life.job.rank;
  if (what == "hang" || !mine) sleep_as_in_mpi();
  if (what == "system") std::exit(std::system(argv[2]) + (life.finalize(), 0));
  die_of(what, life, number);
  std::printf("rank %d of %d on %u cores, part %d\n", life.job.rank.value, life.job.size(),
              life.job.segment->header().usable_cores, life.job.segment->rank(life.job.local_rank).app_number);
  life.finalize();
  return 0;
}
