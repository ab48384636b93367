// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MPI cases: tests that run on every rank of a job at once, written on the public <mpi.h> only.
//
//   MPI_CASE("a message arrives", 2, 8) {            // runs where the job has 2 to 8 ranks
//     if (world.rank == 0) MPI_Send(...);
//     CHECK_EQ(received, expected);
//   }
//
// The same source runs as processes under any mpiexec, as threads of one process, and as a singleton. A failed check is
// recorded and the case goes on, so no rank waits for one that left; a case that hangs is ended by the watchdog.
// MPI_COMM_WORLD and MPI_COMM_SELF carry an error handler that records each unexpected error as a failure, so calls
// need no check of their own. A case that needs shared memory is an MPI_NODE_CASE. Cases share the job one after
// another; each must complete what it starts.
//
// Thread safety: as cases.hpp says.
#pragma once

#include <mpi.h>

#include "support/cases.hpp"

namespace starling::tests {

/// What an MPI case sees of its job.
class Context : public Job {
 public:
  int thread_level = MPI_THREAD_SINGLE;
  MPI_Comm comm = MPI_COMM_WORLD;
};

/// The whole life of one rank: MPI_Init_thread, each case, the result line, MPI_Finalize. Returns the exit status.
int run_rank(const Options& options, RanksAre ranks_are);

}  // namespace starling::tests

#define MPI_CASE(name, min_ranks, max_ranks) \
  STARLING_CASE_(starling::tests::Context, kWorld, name, min_ranks, max_ranks)

/// A case that needs shared memory: where the job is on several nodes the ranks of each node run it by themselves, at
/// the same time. `world` is then the node: its communicator, and the rank and size there.
#define MPI_NODE_CASE(name, min_ranks, max_ranks) \
  STARLING_CASE_(starling::tests::Context, kNode, name, min_ranks, max_ranks)
