// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks that make one call in a loop, and no other, hear of a death and of a revocation all the same:
//   mpiexec --survive -n P resilience_loops CALL    CALL: see kCalls
//
// One rank dies. All but rank 0 go on with the call until its error is MPIX_ERR_REVOKED, or until what it asks for says
// so; rank 0 waits a while, outside MPI, and revokes. Exit status of a survivor: 0, or the job runs into its time
// limit.
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace {

int rank = 0;
int size = 0;
MPI_Comm comm = MPI_COMM_NULL;
MPI_Win window = MPI_WIN_NULL;

int dead() { return size - 1; }

int barrier() { return MPI_Barrier(comm); }
int ibarrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ibarrier(comm, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}
int bcast() { return MPI_Bcast(&rank, 1, MPI_INT, 0, comm); }
int send() { return MPI_Send(&rank, 1, MPI_INT, dead(), 1, comm); }
int isend() {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Isend(&rank, 1, MPI_INT, dead(), 1, comm, &request);
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
}
int waitall() {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  int code = MPI_Isend(&rank, 1, MPI_INT, dead(), 1, comm, &requests[0]);
  if (code == MPI_SUCCESS) code = MPI_Isend(&rank, 1, MPI_INT, dead(), 1, comm, &requests[1]);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Waitall(2, requests, statuses);
  return code == MPI_ERR_IN_STATUS ? statuses[0].MPI_ERROR : code;
}
int recv() {
  int value = 0;
  return MPI_Recv(&value, 1, MPI_INT, dead(), 1, comm, MPI_STATUS_IGNORE);
}
int recv_from_any() {
  int value = 0;
  return MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
}
int probe() { return MPI_Probe(dead(), 1, comm, MPI_STATUS_IGNORE); }
int iprobe() {
  int found = 0;
  return MPI_Iprobe(0, 1, comm, &found, MPI_STATUS_IGNORE);
}
int dup() {
  MPI_Comm copy = MPI_COMM_NULL;
  return MPI_Comm_dup(comm, &copy);
}
int fence() { return MPI_Win_fence(0, window); }
int lock() {
  const int code = MPI_Win_lock(MPI_LOCK_SHARED, dead(), 0, window);
  if (code == MPI_SUCCESS) MPI_Win_unlock(dead(), window);
  return code;
}
int flush() {
  static bool locked = false;
  if (!locked) {
    locked = true;
    if (const int code = MPI_Win_lock_all(0, window); code != MPI_SUCCESS) return code;
  }
  return MPI_Win_flush(0, window);
}
/// Calls that succeed: to nobody, to oneself, and to a rank that takes all without looking at it.
int to_nobody() { return MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 1, comm); }
int from_nobody() {
  return MPI_Sendrecv_replace(&rank, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
}
int to_the_next() {
  const int next = rank + 1 == dead() ? 0 : rank + 1;
  return MPI_Send(&rank, 1, MPI_INT, next, 1, comm);
}
int asked_for_revocation() {
  int revoked = 0;
  const int code = MPIX_Comm_is_revoked(comm, &revoked);
  return revoked != 0 ? MPIX_ERR_REVOKED : code;
}
int asked_for_deaths() {
  MPI_Group failed = MPI_GROUP_NULL;
  MPIX_Comm_get_failed(comm, &failed);
  MPI_Group_free(&failed);
  return MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 1, comm);
}
int acknowledged() {
  MPIX_Comm_failure_ack(comm);
  return MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 1, comm);
}

const std::map<std::string, int (*)()> kCalls = {
    {"barrier", barrier},
    {"ibarrier", ibarrier},
    {"bcast", bcast},
    {"send", send},
    {"isend", isend},
    {"waitall", waitall},
    {"recv", recv},
    {"recv_from_any", recv_from_any},
    {"probe", probe},
    {"iprobe", iprobe},
    {"dup", dup},
    {"fence", fence},
    {"lock", lock},
    {"flush", flush},
    {"to_nobody", to_nobody},
    {"from_nobody", from_nobody},
    {"to_the_next", to_the_next},
    {"is_revoked", asked_for_revocation},
    {"get_failed", asked_for_deaths},
    {"failure_ack", acknowledged},
};

bool says_revoked(int code) {
  int error_class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  return error_class == MPIX_ERR_REVOKED;
}

void run(int (*call)()) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  static int memory = 0;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Barrier(comm);
  if (rank == dead()) {
    usleep(20'000);
    kill(getpid(), SIGKILL);
  }
  if (rank == 0) {
    usleep(60'000);
    MPIX_Comm_revoke(comm);
    MPIX_Win_revoke(window);
  } else {
    while (!says_revoked(call())) {
    }
  }
  MPI_Win_free(&window);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const std::string which = argc > 1 ? argv[1] : "all";
  for (const auto& [name, call] : kCalls) {
    if (name == which) run(call);
  }
  if (kCalls.count(which) == 0) return std::fprintf(stderr, "no such call\n"), 2;
  MPI_Finalize();
  return 0;
}
