// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks die at random moments, some while others are being replaced, and new processes take their places:
//   mpiexec --survive -n P resilience_replace_storm SEED ROUNDS
//
// Rank 0 never dies, so that the job's exit status is its own: 0, or the job runs into its time limit.
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "starling/replace_dead.hpp"

namespace {

void die_after_us(long microseconds) {
  signal(SIGALRM, [](int /*signal*/) { kill(getpid(), SIGKILL); });
  itimerval when{};
  when.it_value.tv_sec = microseconds / 1'000'000;
  when.it_value.tv_usec = microseconds % 1'000'000 + 1;
  setitimer(ITIMER_REAL, &when, nullptr);
}

/// One member dies, and in a third of the rounds another soon after it.
void draw_victims(MPI_Comm whole, std::uint64_t seed) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(whole, &rank);
  MPI_Comm_size(whole, &size);
  std::mt19937_64 random(seed);
  const auto draw = [&] { return 1 + static_cast<int>(random() % static_cast<std::uint64_t>(size - 1)); };
  const int first = draw();
  const int second = random() % 3 == 0 ? draw() : first;
  const auto after_us = static_cast<long>(random() % 3000);
  const auto later_us = static_cast<long>(random() % 2000);
  if (rank == first) die_after_us(after_us);
  if (rank == second && second != first) die_after_us(after_us + later_us);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const std::string seed = argc > 1 ? argv[1] : "1";
  const std::string rounds = argc > 2 ? argv[2] : "8";
  const starling::Joined joined = starling::join();
  MPI_Comm whole = joined.comm;
  int round = joined.is_replacement ? -1 : 0;  // the others know
  while (whole != MPI_COMM_NULL) {
    int now = 0;
    int well = MPI_Allreduce(&round, &now, 1, MPI_INT, MPI_MAX, whole) == MPI_SUCCESS ? 1 : 0;
    if (MPIX_Comm_agree(whole, &well) == MPI_SUCCESS && well != 0) {
      round = now;
      if (round >= std::atoi(rounds.c_str())) break;
      draw_victims(whole, std::strtoull(seed.c_str(), nullptr, 10) * 1000 + static_cast<std::uint64_t>(round));
      while (MPI_Barrier(whole) == MPI_SUCCESS) {
      }
      ++round;
    }
    whole = starling::replace_dead(whole, {argv[0], seed, rounds});
  }
  if (whole != MPI_COMM_NULL) MPI_Comm_free(&whole);
  MPI_Finalize();
  return 0;
}
