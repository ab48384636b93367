/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * Programs that use sessions in every relation to MPI_Init and MPI_Finalize (MPI-5.0, 11.3 and 11.4). Fails
 * and says where when something is not as it should be. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int wrong = 0;

static void expect(int holds, const char* condition, int line) {
  if (holds) return;
  fprintf(stderr, "session_alone.c:%d: not so: %s\n", line, condition);
  wrong++;
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static MPI_Session open_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  EXPECT(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  return session;
}

static MPI_Session open_threaded_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  EXPECT(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  MPI_Info_free(&info);
  return session;
}

/* A ring of messages and a reduction over everybody who is in the set. */
static void communicate(MPI_Session session, const char* set, const char* tag) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = -1, size = 0, received = -1, sum = -1;
  EXPECT(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS);
  EXPECT(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &received, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
               MPI_STATUS_IGNORE);
  EXPECT(received == (rank + size - 1) % size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  EXPECT(sum == size * (size - 1) / 2);
  EXPECT(MPI_Comm_disconnect(&comm) == MPI_SUCCESS);
  MPI_Group_free(&group);
}

static void use_session(const char* tag) {
  MPI_Session session = open_session();
  communicate(session, "mpi://WORLD", tag);
  communicate(session, "mpi://SELF", tag);
  EXPECT(MPI_Session_finalize(&session) == MPI_SUCCESS);
  EXPECT(session == MPI_SESSION_NULL);
}

static void use_world(void) {
  int flag = -1, rank = -1, size = 0, sum = -1;
  MPI_Initialized(&flag);
  EXPECT(flag == 0);
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == size * (size - 1) / 2);
  MPI_Finalize();
  MPI_Finalized(&flag);
  EXPECT(flag == 1);
}

/* Only some processes have a session after the first. */
static void use_in_part(void) {
  MPI_Session session = open_session();
  MPI_Group group = MPI_GROUP_NULL;
  int rank = -1, size = 0;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Group_rank(group, &rank);
  MPI_Group_size(group, &size);
  communicate(session, "mpi://WORLD", "all");
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  if (rank % 2 != 0) return;
  session = open_session();
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  int ranges[1][3] = {{0, size - 1, 2}};
  MPI_Group even = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int count = 0;
  const int one = 1;
  MPI_Group_range_incl(group, 1, ranges, &even);
  EXPECT(MPI_Comm_create_from_group(even, "even", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
  MPI_Allreduce(&one, &count, 1, MPI_INT, MPI_SUM, comm);
  EXPECT(count == (size + 1) / 2);
  MPI_Comm_free(&comm);
  MPI_Group_free(&even);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}

int main(int argc, char** argv) {
  const char* life = argc > 1 ? argv[1] : "only";
  int flag = -1;
  if (strcmp(life, "only") == 0) use_session("one");
  if (strcmp(life, "twice") == 0) {
    for (int i = 0; i < 20; ++i) use_session("again");
  }
  if (strcmp(life, "two") == 0) {
    MPI_Session first = open_session(), second = open_session();
    communicate(first, "mpi://WORLD", "first");
    communicate(second, "mpi://WORLD", "second");
    MPI_Session_finalize(&first);
    communicate(second, "mpi://WORLD", "third");
    MPI_Session_finalize(&second);
  }
  const int is_threaded = strcmp(life, "before_threaded") == 0;
  if (strcmp(life, "before") == 0 || is_threaded) {
    MPI_Session around = is_threaded ? open_threaded_session() : open_session();
    use_session("inside");
    use_world();
    communicate(around, "mpi://WORLD", "late");
    MPI_Session_finalize(&around);
  }
  if (strcmp(life, "after") == 0) {
    use_world();
    use_session("after");
  }
  if (strcmp(life, "part") == 0) use_in_part();
  if (strncmp(life, "before", strlen("before")) != 0 && strcmp(life, "after") != 0) {
    MPI_Initialized(&flag);
    EXPECT(flag == 0);
  }
  return wrong == 0 ? 0 : 1;
}
