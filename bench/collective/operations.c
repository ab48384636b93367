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

static void run_allgatherv(const Collective* c, int root) {
  (void)root;
  MPI_Allgatherv(c->out, c->count, MPI_DOUBLE, c->in, c->counts, c->places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void run_alltoallv(const Collective* c, int root) {
  (void)root;
  MPI_Alltoallv(c->out, c->counts, c->places, MPI_DOUBLE, c->in, c->counts, c->places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void run_reduce_scatter(const Collective* c, int root) {
  (void)root;
  MPI_Reduce_scatter(c->out, c->in, c->counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void run_reduce_scatter_block(const Collective* c, int root) {
  (void)root;
  MPI_Reduce_scatter_block(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void run_reduce_local(const Collective* c, int root) {
  (void)root;
  MPI_Reduce_local(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM);
}

// The nonblocking forms, each with its wait.

static void run_ibcast(const Collective* c, int root) {
  MPI_Request request;
  MPI_Ibcast(c->rank == root ? c->out : c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_ireduce(const Collective* c, int root) {
  MPI_Request request;
  MPI_Ireduce(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_iallreduce(const Collective* c, int root) {
  MPI_Request request;
  (void)root;
  MPI_Iallreduce(c->out, c->in, c->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_igather(const Collective* c, int root) {
  MPI_Request request;
  MPI_Igather(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_igatherv(const Collective* c, int root) {
  MPI_Request request;
  MPI_Igatherv(c->out, c->count, MPI_DOUBLE, c->in, c->counts, c->places, MPI_DOUBLE, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_iscatter(const Collective* c, int root) {
  MPI_Request request;
  MPI_Iscatter(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_iscatterv(const Collective* c, int root) {
  MPI_Request request;
  MPI_Iscatterv(c->out, c->counts, c->places, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, root, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_iallgather(const Collective* c, int root) {
  MPI_Request request;
  (void)root;
  MPI_Iallgather(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_ialltoall(const Collective* c, int root) {
  MPI_Request request;
  (void)root;
  MPI_Ialltoall(c->out, c->count, MPI_DOUBLE, c->in, c->count, MPI_DOUBLE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_ireduce_scatter(const Collective* c, int root) {
  MPI_Request request;
  (void)root;
  MPI_Ireduce_scatter(c->out, c->in, c->counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
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

static double expect_own_sum(int rank, int block, int ranks) {
  double sum = 0.0;
  (void)block;
  for (int from = 0; from < ranks; ++from) sum += pair_value(from, rank);
  return sum;
}

static double expect_own(int rank, int block, int ranks) {
  (void)block;
  (void)ranks;
  return rank + 1.0;
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
    {"allgatherv", true, false, true, run_allgatherv, sent_rank, expect_ranks},
    {"alltoallv", true, true, true, run_alltoallv, sent_pair, expect_from_each},
    {"reduce_scatter", true, true, false, run_reduce_scatter, sent_pair, expect_own_sum},
    {"reduce_scatter_block", true, true, false, run_reduce_scatter_block, sent_pair, expect_own_sum},
    {"reduce_local", true, false, false, run_reduce_local, sent_rank, expect_own},
    {"ibcast", true, false, false, run_ibcast, sent_rank, expect_root_value},
    {"ireduce", true, false, false, run_ireduce, sent_rank, expect_sum_at_root},
    {"iallreduce", true, false, false, run_iallreduce, sent_rank, expect_sum},
    {"igather", true, false, true, run_igather, sent_rank, expect_ranks_at_root},
    {"iscatter", true, true, false, run_iscatter, sent_pair, expect_from_root},
    {"igatherv", true, false, true, run_igatherv, sent_rank, expect_ranks_at_root},
    {"iscatterv", true, true, false, run_iscatterv, sent_pair, expect_from_root},
    {"iallgather", true, false, true, run_iallgather, sent_rank, expect_ranks},
    {"ialltoall", true, true, true, run_ialltoall, sent_pair, expect_from_each},
    {"ireduce_scatter", true, true, false, run_ireduce_scatter, sent_pair, expect_own_sum},
};
const int kOperationCount = sizeof kOperations / sizeof kOperations[0];
