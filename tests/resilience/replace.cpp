// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A rank dies, a spare or a new process of its program takes its place, again and again:
//   mpiexec --survive [--spares N] -n 4 resilience_replace TIMES
// Of two programs the first runs the first N ranks, each word says which one a process is:
//   mpiexec --survive -n N resilience_replace TIMES a N : -n 4-N resilience_replace TIMES b N
// All that work die at once, and the spares leave:
//   mpiexec --spares 2 -n 4 resilience_replace TIMES end
// By spares alone, which have to last:
//   mpiexec --spares N -n 4 resilience_replace TIMES spares
#include <mpi.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "starling/replace_dead.hpp"

namespace {

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string times = argc > 1 ? argv[1] : "3";
  const std::string program = argc > 2 ? argv[2] : "";
  const int of_first = argc > 3 ? std::atoi(argv[3]) : 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const double used_before = cpu_seconds();
  const starling::Joined joined = starling::join();
  MPI_Comm whole = joined.comm;
  int cycle = joined.is_replacement ? -1 : 0;  // the others know
  int status = 0;
  if (!joined.is_replacement) usleep(300'000);
  // The spares have waited at least that long.
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  const double used = cpu_seconds() - used_before;
  if (joined.is_replacement && parent == MPI_COMM_NULL && used > 0.05) {
    std::fprintf(stderr, "a spare has used %.3f s while it waited\n", used);
    status = 1;
  }
  if (program == "end" && !joined.is_replacement) kill(getpid(), SIGKILL);
  while (whole != MPI_COMM_NULL) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(whole, &rank);
    MPI_Comm_size(whole, &size);
    int now = 0;
    int sum = 0;
    int code = MPI_Allreduce(&cycle, &now, 1, MPI_INT, MPI_MAX, whole);
    if (code == MPI_SUCCESS) code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, whole);
    // The victim waits until all have seen that all is well.
    int well = code == MPI_SUCCESS ? 1 : 0;
    if (code == MPI_SUCCESS) code = MPIX_Comm_agree(whole, &well);
    if (of_first != 0 && program != (rank < of_first ? "a" : "b")) {
      std::fprintf(stderr, "cycle %d: rank %d has got program %s\n", cycle, rank, program.c_str());
      status = 1;
    }
    if (code != MPI_SUCCESS || size != 4 || sum != 6 || well == 0) {
      std::fprintf(stderr, "cycle %d, rank %d of %d: sum %d, code %d\n", cycle, rank, size, sum, code);
      status = 1;
      break;
    }
    cycle = now;
    if (cycle == std::atoi(times.c_str())) break;
    const bool two_die = of_first == 2 && cycle == 3;
    if (rank == 1 + cycle % (size - 1) || (two_die && rank == 3)) kill(getpid(), SIGKILL);
    if (MPI_Barrier(whole) == MPI_SUCCESS) status = 1;
    const std::vector<std::string> command(argv, argv + argc);
    whole = starling::replace_dead(whole, program == "spares" ? std::vector<std::string>() : command);
    ++cycle;
  }
  if (whole != MPI_COMM_NULL) MPI_Comm_free(&whole);
  MPI_Finalize();
  return status;
}
