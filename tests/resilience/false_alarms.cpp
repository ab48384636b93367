// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A job in which nobody dies, however its ranks are disturbed (false_alarms.py does that): every call of every rank
// succeeds with the right result, and nobody is ever said to be dead.
//   mpiexec --survive -n 16 resilience_false_alarms SECONDS PAUSE_MS
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

int rank = 0;
int size = 0;

void require(bool good, const char* text, int line) {
  if (good) return;
  std::fprintf(stderr, "false_alarms.cpp:%d: rank %d: not so: %s\n", line, rank, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define REQUIRE(condition) require(static_cast<bool>(condition), #condition, __LINE__)

/// Calls that a signal interrupts are not restarted: that is the harder way.
void take_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCHLD}) sigaction(signal, &action, nullptr);
}

void expect_nobody_dead() {
  MPI_Group dead = MPI_GROUP_NULL;
  int count = -1;
  REQUIRE(MPIX_Comm_get_failed(MPI_COMM_WORLD, &dead) == MPI_SUCCESS);
  MPI_Group_size(dead, &count);
  if (dead != MPI_GROUP_EMPTY) MPI_Group_free(&dead);
  REQUIRE(count == 0);
}

void compute(std::chrono::milliseconds how_long) {
  volatile long work = 0;
  for (const auto until = Clock::now() + how_long; Clock::now() < until;) work = work + 1;
}

/// A round: a message to the right, a reduction, an agreement. True while the job goes on.
bool round(long number, bool on) {
  const int right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  long from = -1;
  const long mine = number * size + rank;
  REQUIRE(MPI_Sendrecv(&mine, 1, MPI_LONG, right, 1, &from, 1, MPI_LONG, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
          MPI_SUCCESS);
  REQUIRE(from == number * size + left);
  long sum = 0;
  REQUIRE(MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  REQUIRE(sum == number * size * size + static_cast<long>(size) * (size - 1) / 2);
  int agreed = on ? 1 : 0;
  REQUIRE(MPIX_Comm_agree(MPI_COMM_WORLD, &agreed) == MPI_SUCCESS);
  expect_nobody_dead();
  return agreed != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  take_signals();
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const auto end = Clock::now() + std::chrono::seconds(std::atol(argv[1]));
  const std::chrono::milliseconds pause(std::atol(argv[2]));
  long rounds = 0;
  while (round(rounds, Clock::now() < end)) {
    ++rounds;
    // Now and then one is busy, and answers nobody meanwhile.
    if (rounds % 64 == 0 && rounds / 64 % size == rank) compute(pause * 10);
    std::this_thread::sleep_for(pause);
  }
  if (rank == 0) std::printf("%ld rounds\n", rounds);
  REQUIRE(MPI_Finalize() == MPI_SUCCESS);
  return 0;
}
