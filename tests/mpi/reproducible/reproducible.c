/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * In the reproducible mode an element's sum has the same bits in every call, whatever the length of the vector that it
 * is a part of, its place in it, the call that sums it, the ranks' order of arrival and the hosts that they are on.
 * Rank 0 prints a hash of all sums, "bits <hash>": runs over different hosts compare it. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLongest = 100000, kTriple = 3, kOftenTried = 5000, kSides = 2 };

typedef struct {
  MPI_Datatype type;
  size_t bytes;
  const char* name;
} Kind;

/* What one element comes to: the sum of all ranks, and of those up to this one. */
typedef struct {
  double sum, prefix, before; /* a float in the first bytes of each, where the kind is float */
} Expected;

static int rank, size, wrong;
static void *mine, *sums;
static uint64_t hash = 14695981039346656037u;

/* Numbers of very different sizes, so that another order gives another sum. */
static double number(int of) {
  static const double scale[] = {1e16, 1.0, -1e16, 3.0, 1e8, -0.1, 7e-9, 1e15};
  return scale[of % 8] * (1.0 + of / 8);
}

static void fill(Kind kind, int of, int length) {
  for (int i = 0; i < length; ++i) {
    if (kind.type == MPI_DOUBLE) ((double*)mine)[i] = number(of);
    if (kind.type == MPI_FLOAT) ((float*)mine)[i] = (float)number(of);
  }
}

static void compare(const char* what, Kind kind, int length, const double* expected) {
  for (int i = 0; i < length; ++i) {
    if (memcmp((char*)sums + (size_t)i * kind.bytes, expected, kind.bytes) == 0) continue;
    fprintf(stderr, "%s of %d: the %s %d of rank %d has other bits\n", what, length, kind.name, i, rank);
    wrong++;
    return;
  }
}

/* The same on every rank: the values of all ranks of the communicator, in their order. */
static void note(Kind kind, const void* value, MPI_Comm comm) {
  unsigned char* all = malloc((size_t)size * kind.bytes);
  MPI_Allgather(value, 1, kind.type, all, 1, kind.type, comm);
  for (size_t i = 0; i < (size_t)size * kind.bytes; ++i) hash = (hash ^ all[i]) * 1099511628211u;
  free(all);
}

/* The ranks come late in turn. */
static void arrive(int round) {
  const double until = MPI_Wtime() + 1e-4 * ((rank + round) % kTriple);
  while (MPI_Wtime() < until) continue;
}

static void reduce_to_all(Kind kind, int length, int round, const Expected* expected, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  arrive(round);
  MPI_Allreduce(mine, sums, length, kind.type, MPI_SUM, comm);
  compare("MPI_Allreduce", kind, length, &expected->sum);
  arrive(round + 1);
  MPI_Iallreduce(mine, sums, length, kind.type, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  compare("MPI_Iallreduce", kind, length, &expected->sum);
  memcpy(sums, mine, (size_t)length * kind.bytes);
  arrive(round + 2);
  MPI_Allreduce(MPI_IN_PLACE, sums, length, kind.type, MPI_SUM, comm);
  compare("MPI_Allreduce in place", kind, length, &expected->sum);
}

static void reduce_to_some(Kind kind, int length, int round, const Expected* expected, MPI_Comm comm) {
  const int part = length / size;
  int* parts = malloc((size_t)size * sizeof *parts);
  for (int i = 0; i < size; ++i) parts[i] = i == size - 1 ? length - part * (size - 1) : part;
  arrive(round);
  MPI_Reduce(mine, sums, length, kind.type, MPI_SUM, round % size, comm);
  if (rank == round % size) compare("MPI_Reduce", kind, length, &expected->sum);
  arrive(round + 2);
  MPI_Reduce_scatter_block(mine, sums, part, kind.type, MPI_SUM, comm);
  compare("MPI_Reduce_scatter_block", kind, part, &expected->sum);
  arrive(round + 1);
  MPI_Reduce_scatter(mine, sums, parts, kind.type, MPI_SUM, comm);
  compare("MPI_Reduce_scatter", kind, parts[rank], &expected->sum);
  free(parts);
}

static void scan(Kind kind, int length, int round, const Expected* expected, MPI_Comm comm) {
  arrive(round);
  MPI_Scan(mine, sums, length, kind.type, MPI_SUM, comm);
  compare("MPI_Scan", kind, length, &expected->prefix);
  arrive(round + 1);
  MPI_Exscan(mine, sums, length, kind.type, MPI_SUM, comm);
  if (rank > 0) compare("MPI_Exscan", kind, length, &expected->before);
}

/* What every later call is compared with. */
static Expected expect(Kind kind, MPI_Comm comm) {
  Expected one = {0, 0, 0};
  MPI_Allreduce(mine, &one.sum, 1, kind.type, MPI_SUM, comm);
  MPI_Scan(mine, &one.prefix, 1, kind.type, MPI_SUM, comm);
  MPI_Exscan(mine, &one.before, 1, kind.type, MPI_SUM, comm);
  if (rank == 0) one.before = 0; /* undefined there */
  note(kind, &one.sum, comm);
  note(kind, &one.prefix, comm);
  note(kind, &one.before, comm);
  return one;
}

static void try_all_lengths(Kind kind) {
  static const int lengths[] = {1, 2, 7, 64, 1000, 4097, 30000, kLongest};
  fill(kind, rank, kLongest);
  const Expected expected = expect(kind, MPI_COMM_WORLD);
  for (int i = 0; i < (int)(sizeof lengths / sizeof lengths[0]); ++i) {
    const int rounds = lengths[i] > kOftenTried ? 1 : kTriple;
    for (int round = 0; round < rounds; ++round) {
      reduce_to_all(kind, lengths[i], round, &expected, MPI_COMM_WORLD);
      reduce_to_some(kind, lengths[i], round, &expected, MPI_COMM_WORLD);
      scan(kind, lengths[i], round, &expected, MPI_COMM_WORLD);
    }
  }
}

/* A grid may deal its places to processes by where they are; numbers go by place, and so must the sums. */
static void try_grid(Kind kind) {
  int sides[kSides] = {0, 0}, wraps[kSides] = {1, 1}, place = -1;
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Dims_create(size, kSides, sides);
  MPI_Cart_create(MPI_COMM_WORLD, kSides, sides, wraps, 1, &grid);
  MPI_Comm_rank(grid, &place);
  fill(kind, place, 1);
  double sum = 0, around = 0;
  char neighbours[2 * kSides * sizeof(double)];
  MPI_Allreduce(mine, &sum, 1, kind.type, MPI_SUM, grid);
  MPI_Neighbor_allgather(mine, 1, kind.type, neighbours, 1, kind.type, grid);
  for (int i = 0; i < 2 * kSides; ++i)
    MPI_Reduce_local(neighbours + (size_t)i * kind.bytes, &around, 1, kind.type, MPI_SUM);
  note(kind, &sum, grid);
  note(kind, &around, grid);
  MPI_Comm_free(&grid);
}

int main(void) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Kind kinds[] = {{MPI_DOUBLE, sizeof(double), "double"}, {MPI_FLOAT, sizeof(float), "float"}};
  mine = malloc(kLongest * sizeof(double));
  sums = malloc(kLongest * sizeof(double));
  for (int i = 0; i < 2; ++i) {
    try_all_lengths(kinds[i]);
    try_grid(kinds[i]);
  }
  if (rank == 0) printf("bits %016llx\n", (unsigned long long)hash);
  free(sums);
  free(mine);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
