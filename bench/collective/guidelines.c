// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each collective operation beside what it may never cost more than: its composition from others, or a more general
// one. The figure is the ratio of their times, in pairs that alternate. Sizes are those of the whole vector, or of all
// blocks of a rank together. The roots take turns; that both give the same answer is checked for each size.
// Source: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines", IEEE TPDS 2010.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct {
  int rank;
  int ranks;
  int total;  // doubles of the vector
  int block;  // total / ranks
  double* out;
  double* in;
  double* between;
  int* counts;
  int* places;
} Data;

typedef void (*Calls)(const Data* d, int root);

static void barrier(const Data* d, int root) {
  (void)d;
  (void)root;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(const Data* d, int root) {
  MPI_Bcast(d->rank == root ? d->out : d->in, d->total, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void scatter_allgather(const Data* d, int root) {
  MPI_Scatter(d->out, d->block, MPI_DOUBLE, d->between, d->block, MPI_DOUBLE, root, MPI_COMM_WORLD);
  MPI_Allgather(d->between, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void reduce(const Data* d, int root) {
  MPI_Reduce(d->out, d->in, d->total, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}

static void reduce_bcast(const Data* d, int root) {
  reduce(d, root);
  MPI_Bcast(d->in, d->total, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void reduce_scatter_block_gather(const Data* d, int root) {
  MPI_Reduce_scatter_block(d->out, d->between, d->block, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(d->between, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void allreduce(const Data* d, int root) {
  (void)root;
  MPI_Allreduce(d->out, d->in, d->total, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter_block_allgather(const Data* d, int root) {
  (void)root;
  MPI_Reduce_scatter_block(d->out, d->between, d->block, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgather(d->between, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void reduce_scatter_block(const Data* d, int root) {
  (void)root;
  MPI_Reduce_scatter_block(d->out, d->in, d->block, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter(const Data* d, int root) {
  (void)root;
  MPI_Reduce_scatter(d->out, d->in, d->counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scattered(const Data* d, int root) {
  MPI_Reduce(d->out, d->between, d->total, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  MPI_Scatter(d->between, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void allreduce_to_block(const Data* d, int root) {
  (void)root;
  MPI_Allreduce(d->out, d->between, d->total, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  memcpy(d->in, d->between + d->places[d->rank], sizeof(double) * (size_t)d->block);
}

static void gather(const Data* d, int root) {
  MPI_Gather(d->out, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void gatherv(const Data* d, int root) {
  MPI_Gatherv(d->out, d->block, MPI_DOUBLE, d->in, d->counts, d->places, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void gather_bcast(const Data* d, int root) {
  gather(d, root);
  MPI_Bcast(d->in, d->total, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void scatter(const Data* d, int root) {
  MPI_Scatter(d->out, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void scatterv(const Data* d, int root) {
  MPI_Scatterv(d->out, d->counts, d->places, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static void bcast_to_block(const Data* d, int root) {
  double* vector = d->rank == root ? d->out : d->between;
  MPI_Bcast(vector, d->total, MPI_DOUBLE, root, MPI_COMM_WORLD);
  memcpy(d->in, vector + d->places[d->rank], sizeof(double) * (size_t)d->block);
}

static void allgather(const Data* d, int root) {
  (void)root;
  MPI_Allgather(d->out, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void allgatherv(const Data* d, int root) {
  (void)root;
  MPI_Allgatherv(d->out, d->block, MPI_DOUBLE, d->in, d->counts, d->places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoall(const Data* d, int root) {
  (void)root;
  MPI_Alltoall(d->out, d->block, MPI_DOUBLE, d->in, d->block, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoallv(const Data* d, int root) {
  (void)root;
  MPI_Alltoallv(d->out, d->counts, d->places, MPI_DOUBLE, d->in, d->counts, d->places, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void scan(const Data* d, int root) {
  (void)root;
  MPI_Scan(d->out, d->in, d->total, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void exscan_local(const Data* d, int root) {
  (void)root;
  memcpy(d->in, d->out, sizeof(double) * (size_t)d->total);
  MPI_Exscan(d->out, d->between, d->total, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (d->rank > 0) MPI_Reduce_local(d->between, d->in, d->total, MPI_DOUBLE, MPI_SUM);
}

typedef enum { kOnAll, kAtRoot, kOffRoot } Where;  // where `in` has an answer

typedef struct {
  const char* name;
  Calls whole;
  Calls parts;
  Where answer;
} Guideline;

static const Guideline kGuidelines[] = {
    {"barrier/allreduce", barrier, allreduce, kOffRoot},
    {"bcast/scatter+allgather", bcast, scatter_allgather, kOffRoot},
    {"reduce/allreduce", reduce, allreduce, kAtRoot},
    {"reduce/reduce_scatter_block+gather", reduce, reduce_scatter_block_gather, kAtRoot},
    {"allreduce/reduce+bcast", allreduce, reduce_bcast, kOnAll},
    {"allreduce/reduce_scatter_block+allgather", allreduce, reduce_scatter_block_allgather, kOnAll},
    {"gather/allgather", gather, allgather, kAtRoot},
    {"gather/gatherv", gather, gatherv, kAtRoot},
    {"scatter/bcast", scatter, bcast_to_block, kOnAll},
    {"scatter/scatterv", scatter, scatterv, kOnAll},
    {"allgather/gather+bcast", allgather, gather_bcast, kOnAll},
    {"allgather/allgatherv", allgather, allgatherv, kOnAll},
    {"alltoall/alltoallv", alltoall, alltoallv, kOnAll},
    {"scan/exscan+reduce_local", scan, exscan_local, kOnAll},
    {"reduce_scatter_block/reduce+scatter", reduce_scatter_block, reduce_scattered, kOnAll},
    {"reduce_scatter_block/reduce_scatter", reduce_scatter_block, reduce_scatter, kOnAll},
    {"reduce_scatter/allreduce", reduce_scatter, allreduce_to_block, kOnAll},
};

typedef struct {
  Calls calls;
  const Data* data;
  long turn;
} Side;

static void body(void* context, long iterations) {
  Side* side = context;
  for (long i = 0; i < iterations; ++i) side->calls(side->data, (int)(side->turn++ % side->data->ranks));
}

static void check(const Guideline* guideline, const Data* d) {
  const size_t bytes = sizeof(double) * (size_t)d->total;
  double* expected = bench_buffer(bytes, 0);
  memset(d->in, 0, bytes);
  guideline->parts(d, 0);
  memcpy(expected, d->in, bytes);
  memset(d->in, 0, bytes);
  guideline->whole(d, 0);
  const bool has_answer = guideline->answer == kOnAll || (d->rank == 0) == (guideline->answer == kAtRoot);
  if (guideline->whole != barrier && has_answer && memcmp(d->in, expected, bytes) != 0) {
    fprintf(stderr, "%s of %d doubles: rank %d has two answers; the figures would mean nothing\n", guideline->name,
            d->total, d->rank);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  free(expected);
}

static void measure(const Guideline* guideline, const Data* d, const BenchOptions* options) {
  Side whole = {guideline->whole, d, 0};
  Side parts = {guideline->parts, d, 0};
  const BenchTimes ratio = bench_ratio(MPI_COMM_WORLD, body, &whole, &parts, options);
  check(guideline, d);
  const long bytes = guideline->whole == barrier ? 0 : (long)sizeof(double) * d->total;
  if (d->rank == 0) bench_print(guideline->name, bytes, ratio.median_s, "x", ratio.min_s, ratio.max_s);
}

// Everybody's values are small whole numbers, so that sums do not depend on their order.
static Data make_data(long bytes) {
  Data d;
  MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &d.ranks);
  const int block = (int)(bytes / (long)sizeof(double) / d.ranks);
  d.block = block > 0 ? block : 1;
  d.total = d.block * d.ranks;
  d.out = bench_buffer(sizeof(double) * (size_t)d.total, 0);
  d.in = bench_buffer(sizeof(double) * (size_t)d.total, 0);
  d.between = bench_buffer(sizeof(double) * (size_t)d.total, 0);
  d.counts = bench_buffer(sizeof(int) * (size_t)d.ranks, 0);
  d.places = bench_buffer(sizeof(int) * (size_t)d.ranks, 0);
  for (int i = 0; i < d.total; ++i) d.out[i] = 100.0 * d.rank + i % 89 + 1.0;
  for (int rank = 0; rank < d.ranks; ++rank) {
    d.counts[rank] = d.block;
    d.places[rank] = rank * d.block;
  }
  return d;
}

static void drop(Data* d) {
  free(d->out);
  free(d->in);
  free(d->between);
  free(d->counts);
  free(d->places);
}

int main(int argc, char** argv) {
  const long sizes[] = {64, 512, 4096, 16384, 65536, 262144, 1048576};
  MPI_Init(&argc, &argv);
  const BenchOptions options = bench_options(argc, argv, sizes, sizeof sizes / sizeof sizes[0]);
  for (size_t i = 0; i < sizeof kGuidelines / sizeof kGuidelines[0]; ++i) {
    if (!bench_selected(options.only, kGuidelines[i].name)) continue;
    const int size_count = kGuidelines[i].whole == barrier ? 1 : options.size_count;
    for (int j = 0; j < size_count; ++j) {
      Data d = make_data(kGuidelines[i].whole == barrier ? 0 : options.sizes[j]);
      measure(&kGuidelines[i], &d, &options);
      drop(&d);
    }
  }
  MPI_Finalize();
  return 0;
}
