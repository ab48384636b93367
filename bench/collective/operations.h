// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collective operations under test, as rows of a table. Buffers hold doubles; a block is what one rank contributes.
// Thread safety: the table is constant; a Collective belongs to one thread.
#ifndef STARLING_BENCH_COLLECTIVE_OPERATIONS_H
#define STARLING_BENCH_COLLECTIVE_OPERATIONS_H

#include <mpi.h>
#include <stdbool.h>

// What one call works on.
typedef struct {
  int rank;
  int ranks;
  int count;  // doubles in a block
  double* out;
  double* in;
  int* counts;  // for the v forms: each rank's block, as long as everybody else's,
  int* places;  // and where it lies
} Collective;

typedef struct {
  const char* name;
  bool has_data;
  bool sends_block_to_each;       // out holds a block for each rank, not one
  bool receives_block_from_each;  // in likewise
  void (*run)(const Collective* c, int root);
  double (*sent)(int rank, int block);                 // the value that fills a block of out
  double (*expected)(int rank, int block, int ranks);  // the value in a block of in after run(c, 0); 0 for untouched
} Operation;

extern const Operation kOperations[];
extern const int kOperationCount;

#endif
