/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * What crosses the ABI in one program: statuses, callbacks in both directions, derived types, long messages, requests,
 * a window, an attribute and a string. Rank 0 prints one line when all is right; a wrong answer is named and ends the
 * job. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLong = 300000 }; /* doubles: far above what is copied through shared memory at once */

static int rank, size, copied, deleted, handled;

#define EXPECT(condition)                                               \
  do {                                                                  \
    if (!(condition)) {                                                 \
      printf("rank %d, line %d: not %s\n", rank, __LINE__, #condition); \
      fflush(stdout);                                                   \
      MPI_Abort(MPI_COMM_WORLD, 3);                                     \
    }                                                                   \
  } while (0)

static void larger(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
  }
}

static int copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)keyval;
  *(void**)out = in;
  *flag = 1;
  copied += *(int*)extra;
  return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)value;
  deleted += *(int*)extra;
  return MPI_SUCCESS;
}

static void handle(MPI_Comm* comm, int* code, ...) { handled += *comm == MPI_COMM_WORLD && *code != MPI_SUCCESS; }

static void callbacks(void) {
  MPI_Op op;
  MPI_Comm twin;
  MPI_Errhandler handler;
  int most = 0, keyval = 0, one = 1;
  MPI_Op_create(larger, 1, &op);
  MPI_Allreduce(&rank, &most, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  EXPECT(most == size - 1);
  MPI_Comm_create_keyval(copy, drop, &keyval, &one);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_free(&twin);
  EXPECT(copied == 1 && deleted == 1);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  EXPECT(handled == 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

/* Every second double of a long array to the right neighbour, and its status. */
static void messages(void) {
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double* mine = malloc(2 * kLong * sizeof *mine);
  double* theirs = calloc(kLong, sizeof *theirs);
  MPI_Datatype every_second;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int count = 0;
  for (int i = 0; i < kLong; ++i) mine[2 * i] = rank * 1e6 + i;
  MPI_Type_vector(kLong, 1, 2, MPI_DOUBLE, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Irecv(theirs, kLong, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(mine, 1, every_second, right, 40 + rank, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
  EXPECT(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 40 + left && count == kLong);
  for (int i = 0; i < kLong; ++i) EXPECT(theirs[i] == left * 1e6 + i);
  MPI_Bcast(theirs, kLong, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT(theirs[kLong - 1] == (size - 1) * 1e6 + kLong - 1);
  MPI_Type_free(&every_second);
  free(mine);
  free(theirs);
}

static void windows(void) {
  MPI_Win window;
  MPI_Comm node;
  int *memory, *theirs, disp;
  MPI_Aint bytes;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  *memory = 0;
  MPI_Win_fence(0, window);
  MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  EXPECT(rank != 0 || *memory == size * (size - 1) / 2);
  MPI_Win_free(&window);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(sizeof *memory, sizeof *memory, MPI_INFO_NULL, node, &memory, &window);
  MPI_Win_fence(0, window);
  *memory = rank;
  MPI_Win_fence(0, window);
  MPI_Win_shared_query(window, (rank + 1) % size, &bytes, &disp, &theirs);
  EXPECT(*theirs == (rank + 1) % size);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "crash") == 0 && rank == 1) abort();
  MPI_Get_library_version(version, &length);
  EXPECT(length == (int)strlen(version));
  callbacks();
  messages();
  windows();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("wide: %d ranks on %.8s, good\n", size, version);
  MPI_Finalize();
  return 0;
}
