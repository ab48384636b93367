/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * A tool sets variables before MPI starts, and reads them while it runs and after its end (MPI-5.0, 15.3.4). Fails and
 * says where when something is not as it should be. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int wrong = 0;

static void expect(int holds, const char* condition, int line) {
  if (holds) return;
  fprintf(stderr, "tool_alone.c:%d: not so: %s\n", line, condition);
  wrong++;
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static MPI_T_cvar_handle handle_of(const char* name, int* count) {
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int index = -1;
  EXPECT(MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS);
  EXPECT(MPI_T_cvar_handle_alloc(index, NULL, &handle, count) == MPI_SUCCESS);
  return handle;
}

int main(void) {
  int provided = -1, count = 0, rank = -1, reproducible = 1;
  char wait[1024] = "yield";
  EXPECT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);

  MPI_T_cvar_handle order = handle_of("STARLING_REPRODUCIBLE", &count);
  EXPECT(count == 1);
  EXPECT(MPI_T_cvar_write(order, &reproducible) == MPI_SUCCESS);
  reproducible = 0;
  EXPECT(MPI_T_cvar_read(order, &reproducible) == MPI_SUCCESS && reproducible == 1);
  MPI_T_cvar_handle waiting = handle_of("STARLING_WAIT", &count);
  EXPECT(count <= (int)sizeof wait);
  EXPECT(MPI_T_cvar_write(waiting, wait) == MPI_SUCCESS);
  MPI_T_cvar_handle limit = handle_of("STARLING_EAGER_LIMIT", &count);
  MPI_Count bytes = 1000;
  EXPECT(MPI_T_cvar_write(limit, &bytes) == MPI_SUCCESS);

  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  reproducible = 0;
  bytes = 0;
  EXPECT(MPI_T_cvar_read(order, &reproducible) == MPI_SUCCESS && reproducible == 1);
  EXPECT(MPI_T_cvar_read(limit, &bytes) == MPI_SUCCESS && bytes == 1000);
  EXPECT(MPI_T_cvar_read(waiting, wait) == MPI_SUCCESS && strcmp(wait, "yield") == 0);
  EXPECT(MPI_T_cvar_write(limit, &bytes) == MPI_T_ERR_CVAR_SET_NOT_NOW);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();

  EXPECT(MPI_T_cvar_read(limit, &bytes) == MPI_SUCCESS && bytes == 1000);
  EXPECT(MPI_T_cvar_handle_free(&limit) == MPI_SUCCESS);
  EXPECT(MPI_T_finalize() == MPI_SUCCESS);
  return wrong == 0 ? 0 : 1;
}
