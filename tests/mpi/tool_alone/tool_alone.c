/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * A tool sets variables before MPI starts, and reads them while it runs and after its end (MPI-5.0, 15.3.4). What it
 * has registered for events before, it hears once MPI runs, in sessions too, and not after their end. Fails and says
 * where when something is not as it should be. */
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

static void count_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                        void* user_data) {
  (void)instance, (void)registration, (void)safety;
  ++*(int*)user_data;
}

static MPI_T_event_registration listen_to(const char* name, int* counted) {
  MPI_T_event_registration registration = NULL;
  int index = -1;
  EXPECT(MPI_T_event_get_index(name, &index) == MPI_SUCCESS);
  EXPECT(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration) == MPI_SUCCESS);
  EXPECT(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, counted,
                                       count_event) == MPI_SUCCESS);
  return registration;
}

static void send_to_oneself(MPI_Comm comm) {
  int out = 1, in = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
}

/* A session of its own, in which a process sends itself a message. */
static void use_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://SELF", &group);
  MPI_Comm_create_from_group(group, "tool_alone", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  send_to_oneself(comm);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
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

  int sent = 0, calls = 0;
  MPI_T_event_registration messages = listen_to("starling_message_sent", &sent);
  MPI_T_event_registration begun = listen_to("starling_call_begun", &calls);
  use_session();
  EXPECT(sent == 1);
  EXPECT(calls >= 4);

  MPI_Init(NULL, NULL);
  send_to_oneself(MPI_COMM_SELF);
  EXPECT(sent == 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  reproducible = 0;
  bytes = 0;
  EXPECT(MPI_T_cvar_read(order, &reproducible) == MPI_SUCCESS && reproducible == 1);
  EXPECT(MPI_T_cvar_read(limit, &bytes) == MPI_SUCCESS && bytes == 1000);
  EXPECT(MPI_T_cvar_read(waiting, wait) == MPI_SUCCESS && strcmp(wait, "yield") == 0);
  EXPECT(MPI_T_cvar_write(limit, &bytes) == MPI_T_ERR_CVAR_SET_NOT_NOW);
  MPI_Barrier(MPI_COMM_WORLD);
  calls = 0;
  MPI_Finalize();
  EXPECT(calls == 1); /* that one */

  EXPECT(MPI_T_cvar_read(limit, &bytes) == MPI_SUCCESS && bytes == 1000);
  EXPECT(MPI_T_cvar_handle_free(&limit) == MPI_SUCCESS);
  EXPECT(MPI_T_event_handle_free(messages, NULL, NULL) == MPI_SUCCESS);
  EXPECT(MPI_T_event_handle_free(begun, NULL, NULL) == MPI_SUCCESS);
  EXPECT(MPI_T_finalize() == MPI_SUCCESS);
  return wrong == 0 ? 0 : 1;
}
