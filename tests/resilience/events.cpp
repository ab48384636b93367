// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a tool hears of a death and of a revocation: mpiexec --survive -n N resilience_events. The last rank dies; the
// others hear of it once, each, and then of the revocation of the one communicator to which their handle is bound.
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

namespace {

using Values = std::vector<MPI_Count>;

void note(MPI_T_event_instance instance, MPI_T_event_registration /*registration*/, MPI_T_cb_safety /*safety*/,
          void* user_data) {
  MPI_Count value = -2;
  MPI_T_event_read(instance, 0, &value);
  static_cast<Values*>(user_data)->push_back(value);
}

void listen_to(const char* name, MPI_Comm comm, Values* heard) {
  int index = -1;
  MPI_T_event_registration registration{};
  MPI_T_event_get_index(name, &index);
  MPI_T_event_handle_alloc(index, &comm, MPI_INFO_NULL, &registration);
  MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_INFO_NULL, heard, note);
}

bool is_revoked(MPI_Comm comm) {
  int flag = 0;
  MPIX_Comm_is_revoked(comm, &flag);
  return flag != 0;
}

bool anybody_dead(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPIX_Comm_get_failed(comm, &group);
  const bool found = group != MPI_GROUP_EMPTY;
  if (found) MPI_Group_free(&group);
  return found;
}

int complain(const char* what, const Values& heard) {
  std::fprintf(stderr, "events.cpp: %s was heard %zu times, first with %lld\n", what, heard.size(),
               heard.empty() ? -2LL : static_cast<long long>(heard.front()));
  return 1;
}

}  // namespace

int main() {
  int provided = -1, rank = -1, size = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm used = MPI_COMM_NULL, other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &used);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  Values deaths, revoked, not_revoked;
  listen_to("starling_process_failed", MPI_COMM_NULL, &deaths);
  listen_to("starling_communicator_revoked", used, &revoked);
  listen_to("starling_communicator_revoked", other, &not_revoked);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) kill(getpid(), SIGKILL);
  while (!anybody_dead(MPI_COMM_WORLD)) usleep(1000);
  if (rank == 0) MPIX_Comm_revoke(used);
  while (!is_revoked(used)) usleep(1000);
  int wrong = 0;
  if (deaths != Values{size - 1}) wrong += complain("the death of the last rank", deaths);
  if (revoked != Values{MPI_Comm_toint(used)}) wrong += complain("the revocation", revoked);
  if (!not_revoked.empty()) wrong += complain("the revocation of another communicator", not_revoked);
  MPI_Finalize();
  MPI_T_finalize();
  return wrong;
}
