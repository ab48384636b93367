// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What simulated_rivals runs under SimGrid's SMPI: each operation twice for each size, of which the shorter time
// counts, as `starling simulate` does it. All ranks enter it at the same simulated time, and it lasts until the last
// has left it. Rank 0 is the root.
//
// usage: rivals SIZE,SIZE,... OPERATION,OPERATION,...
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "operations.h"

enum { kRepetitions = 2 };

static double blocks(bool many, int ranks) { return many ? ranks : 1; }

static void sleep_until(double time) {
  const double left = time - MPI_Wtime();
  const struct timespec nap = {.tv_nsec = (long)(left * 1e9)};
  if (left > 0) nanosleep(&nap, NULL);
}

static double seconds_of(const Operation* operation, const Collective* call) {
  const double ahead = 0.1;  // more than ranks are apart after they have agreed
  const double now = MPI_Wtime();
  double last = 0;
  MPI_Allreduce(&now, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  sleep_until(last + ahead);
  const double start = MPI_Wtime();
  operation->run(call, 0);
  const double took = MPI_Wtime() - start;
  double longest = 0;
  MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

static void measure(const Operation* operation, long bytes) {
  Collective call = {.count = (int)(bytes / (long)sizeof(double))};
  MPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &call.ranks);
  call.out = calloc((size_t)(blocks(operation->sends_block_to_each, call.ranks) * (double)bytes) + 1, 1);
  call.in = calloc((size_t)(blocks(operation->receives_block_from_each, call.ranks) * (double)bytes) + 1, 1);
  double shortest = -1;
  for (int i = 0; i < kRepetitions; ++i) {
    const double took = seconds_of(operation, &call);
    if (shortest < 0 || took < shortest) shortest = took;
  }
  if (call.rank == 0) printf("%s %ld %.3f\n", operation->name, bytes, shortest * 1e6);
  free(call.out);
  free(call.in);
}

static bool is_in(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return false;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; argc == 3 && i < kOperationCount; ++i) {
    const Operation* operation = &kOperations[i];
    if (!is_in(argv[2], operation->name)) continue;
    if (!operation->has_data) {
      measure(operation, 0);
      continue;
    }
    for (const char* at = argv[1]; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
      measure(operation, atol(at));
  }
  MPI_Finalize();
  return argc == 3 ? 0 : 2;
}
