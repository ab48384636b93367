// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "operations.h"

static void run_barrier(const Collective* c, int root) {
  (void)c;
  (void)root;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void run_bcast(const Collective* c, int root) {
  MPI_Bcast(c->rank == root ? c->out : c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void run_reduce(const Collective* c, int root) {
  MPI_Reduce(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

static void run_allreduce(const Collective* c, int root) {
  (void)root;
  MPI_Allreduce(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void run_gather(const Collective* c, int root) {
  MPI_Gather(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void run_scatter(const Collective* c, int root) {
  MPI_Scatter(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void run_gatherv(const Collective* c, int root) {
  MPI_Gatherv(c->out, c->count, MPI_DOUBLE, c->in, c->counts, c->places, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void run_scatterv(const Collective* c, int root) {
  MPI_Scatterv(c->out, c->counts, c->places, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void run_allgather(const Collective* c, int root) {
  (void)root;
  MPI_Allgather(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void run_alltoall(const Collective* c, int root) {
  (void)root;
  MPI_Alltoall(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static double pair_value(int from, int to) { return from * 1000.0 + to + 1.0; }

static double sent_rank(int rank, int block) {
  (void)block;
  return rank + 1.0;
}

static double sent_pair(int rank, int block) { return pair_value(rank, block); }

static double expect_root_value(int rank, int block, int ranks) {
  (void)block;
  (void)ranks;
  return rank == 0 ? 0.0 : 1.0;
}

static double expect_sum(int rank, int block, int ranks) {
  (void)rank;
  (void)block;
  return 0.5 * ranks * (ranks + 1.0);
}

static double expect_sum_at_root(int rank, int block, int ranks) {
  return rank == 0 ? expect_sum(rank, block, ranks) : 0.0;
}

static double expect_ranks(int rank, int block, int ranks) {
  (void)rank;
  (void)ranks;
  return block + 1.0;
}

static double expect_ranks_at_root(int rank, int block, int ranks) {
  return rank == 0 ? expect_ranks(rank, block, ranks) : 0.0;
}

static double expect_from_root(int rank, int block, int ranks) {
  (void)block;
  (void)ranks;
  return pair_value(0, rank);
}

static double expect_from_each(int rank, int block, int ranks) {
  (void)ranks;
  return pair_value(block, rank);
}

const Operation kOperations[] = {
    {"barrier", false, false, false, run_barrier, sent_rank, expect_ranks},
    {"bcast", true, false, false, run_bcast, sent_rank, expect_root_value},
    {"reduce", true, false, false, run_reduce, sent_rank, expect_sum_at_root},
    {"allreduce", true, false, false, run_allreduce, sent_rank, expect_sum},
    {"gather", true, false, true, run_gather, sent_rank, expect_ranks_at_root},
    {"scatter", true, true, false, run_scatter, sent_pair, expect_from_root},
    {"gatherv", true, false, true, run_gatherv, sent_rank, expect_ranks_at_root},
    {"scatterv", true, true, false, run_scatterv, sent_pair, expect_from_root},
    {"allgather", true, false, true, run_allgather, sent_rank, expect_ranks},
    {"alltoall", true, true, true, run_alltoall, sent_pair, expect_from_each},
};
const int kOperationCount = sizeof kOperations / sizeof kOperations[0];
