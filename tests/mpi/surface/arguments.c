/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * Every kind of wrong argument answers with the error class that the standard names (MPI-5.0, 9.4), in both forms. */
#include <mpi.h>
#include <stdio.h>

static int wrong = 0;

static void expect(int line, const char* what, int code, int error_class) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  if (found == error_class) return;
  printf("line %d: %s has class %d instead of %d\n", line, what, found, error_class);
  wrong++;
}
#define EXPECT(error_class, call) expect(__LINE__, #call, call, error_class)

static int here[4];
static MPI_Comm world;

static void messages(void) {
  MPI_Datatype uncommitted;
  int size;
  MPI_Comm_size(world, &size);
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  EXPECT(MPI_ERR_COUNT, MPI_Send(here, -1, MPI_INT, 0, 0, world));
  EXPECT(MPI_ERR_COUNT, MPI_Send_c(here, -1, MPI_INT, 0, 0, world));
  EXPECT(MPI_ERR_TYPE, MPI_Send(here, 1, MPI_DATATYPE_NULL, 0, 0, world));
  EXPECT(MPI_ERR_TYPE, MPI_Send(here, 1, uncommitted, 0, 0, world));
  EXPECT(MPI_ERR_RANK, MPI_Send(here, 1, MPI_INT, size, 0, world));
  EXPECT(MPI_ERR_RANK, MPI_Send(here, 1, MPI_INT, MPI_ANY_SOURCE, 0, world));
  EXPECT(MPI_ERR_RANK, MPI_Recv(here, 1, MPI_INT, -77, 0, world, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_TAG, MPI_Send(here, 1, MPI_INT, 0, -5, world));
  EXPECT(MPI_ERR_TAG, MPI_Send(here, 1, MPI_INT, 0, MPI_ANY_TAG, world));
  EXPECT(MPI_ERR_TAG, MPI_Recv(here, 1, MPI_INT, 0, -5, world, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_COMM, MPI_Send(here, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
  EXPECT(MPI_ERR_BUFFER, MPI_Send(NULL, 1, MPI_INT, 0, 0, world));
  EXPECT(MPI_ERR_BUFFER, MPI_Recv(NULL, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE));
  EXPECT(MPI_SUCCESS, MPI_Send(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, world));
  EXPECT(MPI_SUCCESS, MPI_Recv(NULL, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, world, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_ARG, MPI_Isend(here, 1, MPI_INT, 0, 0, world, NULL));
  MPI_Type_free(&uncommitted);
}

static void collectives(void) {
  const int negative[1] = {-1}, zero[1] = {0};
  EXPECT(MPI_ERR_ROOT, MPI_Bcast(here, 1, MPI_INT, 99, world));
  EXPECT(MPI_ERR_ROOT, MPI_Bcast_c(here, 1, MPI_INT, MPI_ANY_SOURCE, world));
  EXPECT(MPI_ERR_COUNT, MPI_Allreduce(MPI_IN_PLACE, here, -1, MPI_INT, MPI_SUM, world));
  EXPECT(MPI_ERR_OP, MPI_Allreduce(MPI_IN_PLACE, here, 1, MPI_INT, MPI_OP_NULL, world));
  EXPECT(MPI_ERR_OP, MPI_Allreduce(MPI_IN_PLACE, here, 1, MPI_FLOAT, MPI_BAND, world));
  EXPECT(MPI_ERR_BUFFER, MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, world));
  EXPECT(MPI_ERR_COUNT, MPI_Gatherv(here, 1, MPI_INT, here + 1, negative, zero, MPI_INT, 0, world));
  EXPECT(MPI_ERR_TYPE, MPI_Alltoall(here, 1, MPI_DATATYPE_NULL, here + 1, 1, MPI_INT, world));
}

static void objects(void) {
  MPI_Comm twin, freed;
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Datatype type;
  int value;
  MPI_Comm_dup(world, &twin);
  freed = twin;
  MPI_Comm_free(&twin);
  EXPECT(MPI_ERR_COMM, MPI_Barrier(freed));
  EXPECT(MPI_ERR_ARG, MPI_Comm_size(world, NULL));
  EXPECT(MPI_ERR_REQUEST, MPI_Start(&none));
  EXPECT(MPI_SUCCESS, MPI_Wait(&none, MPI_STATUS_IGNORE));
  EXPECT(MPI_ERR_COUNT, MPI_Waitall(-1, &none, MPI_STATUSES_IGNORE));
  EXPECT(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &value));
  EXPECT(MPI_ERR_INFO, MPI_Info_set(MPI_INFO_NULL, "key", "value"));
  EXPECT(MPI_ERR_ERRHANDLER, MPI_Comm_set_errhandler(world, MPI_ERRHANDLER_NULL));
  EXPECT(MPI_ERR_KEYVAL, MPI_Comm_set_attr(world, MPI_KEYVAL_INVALID, NULL));
  EXPECT(MPI_ERR_COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
  EXPECT(MPI_ERR_COUNT, MPI_Type_vector(1, -1, 1, MPI_INT, &type));
  EXPECT(MPI_ERR_TYPE, MPI_Type_size(MPI_DATATYPE_NULL, &value));
}

int main(void) {
  MPI_Init(NULL, NULL);
  world = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  messages();
  collectives();
  objects();
  MPI_Finalize();
  printf("%d answers differ from the standard\n", wrong);
  return wrong == 0 ? 0 : 1;
}
