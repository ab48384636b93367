/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * launch_sum [sessions|abort|kill|kill_early]: adds the ranks up over all of them, and prints how many nodes there are
 * and which application this is. Every line is a rank's. "sessions": by a session, without MPI_Init; "abort", "kill":
 * then the last rank ends the job, or is killed, while the others wait for it; "kill_early": it is killed before any
 * message. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void add_up(MPI_Comm all, int app) {
  int rank, size, sum, here, is_first, nodes;
  MPI_Comm node;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &here);
  is_first = here == 0;
  MPI_Allreduce(&is_first, &nodes, 1, MPI_INT, MPI_SUM, all);
  printf("rank %d of %d, sum %d, nodes %d, local %d, app %d\n", rank, size, sum, nodes, here, app);
  MPI_Comm_free(&node);
}

static void by_session(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm all;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "launch_sum", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
  add_up(all, 0);
  MPI_Comm_free(&all);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}

static void wait_for_the_dead(void) {
  int rank, size, number;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == size - 1) raise(SIGKILL);
  MPI_Recv(&number, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end_badly(const char* how) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == size - 1 && strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  if (rank == size - 1 && strcmp(how, "kill") == 0) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "sessions") == 0) {
    by_session();
    return 0;
  }
  MPI_Init(&argc, &argv);
  if (strcmp(how, "kill_early") == 0) wait_for_the_dead();
  int* app = NULL;
  int is_set = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &is_set);
  add_up(MPI_COMM_WORLD, is_set ? *app : -1);
  if (*how) end_badly(how);
  MPI_Finalize();
  return 0;
}
