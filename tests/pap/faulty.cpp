// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// An MPI below libs/pap whose collectives fail when the program asks for it: preloaded before the library. A call does
// what it should, so that no rank waits for another in vain, and then returns an error, on all ranks that ask for it.
// What a reduction does in its midst fails by itself: to combine, or to send.
#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <cstdlib>

namespace {

enum Failing : int { kNothing = 0, kCollectives = 1, kCombining = 2, kSending = 3, kExchanges = 4 };

int failing = kNothing;
std::atomic<int> exchanges_to_fail{0};  // the library makes them in a thread of its own
std::atomic<int> exchanges_failed{0};

template <class Function>
Function* next(Function*, const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

int outcome(int code) { return failing == kCollectives && code == MPI_SUCCESS ? MPI_ERR_NO_MEM : code; }

}  // namespace

#define STARLING_FAULTY extern "C" __attribute__((visibility("default"))) int

STARLING_FAULTY pap_fails(int what) {
  const int before = failing;
  failing = what;
  if (what == kExchanges) exchanges_to_fail = 3;
  return before;
}

/// How many exchanges have failed.
STARLING_FAULTY pap_failed_exchanges() { return exchanges_failed; }

STARLING_FAULTY PMPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  if (failing == kCombining) return MPI_ERR_NO_MEM;
  return next(&PMPI_Reduce_local, "PMPI_Reduce_local")(in, inout, count, type, op);
}
STARLING_FAULTY PMPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  if (exchanges_to_fail.fetch_sub(1) > 0) {
    ++exchanges_failed;
    return MPI_ERR_NO_MEM;
  }
  return next(&PMPI_Iallgather, "PMPI_Iallgather")(send, send_count, send_type, receive, receive_count, receive_type,
                                                   comm, request);
}
STARLING_FAULTY PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                           MPI_Request* request) {
  if (failing == kSending && count > 0) return MPI_ERR_NO_MEM;
  return next(&PMPI_Isend, "PMPI_Isend")(buffer, count, type, to, tag, comm, request);
}

STARLING_FAULTY PMPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                            MPI_Comm comm) {
  return outcome(next(&PMPI_Reduce, "PMPI_Reduce")(send, receive, count, type, op, root, comm));
}
STARLING_FAULTY PMPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm) {
  return outcome(next(&PMPI_Allreduce, "PMPI_Allreduce")(send, receive, count, type, op, comm));
}
STARLING_FAULTY PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return outcome(next(&PMPI_Bcast, "PMPI_Bcast")(buffer, count, type, root, comm));
}
STARLING_FAULTY PMPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                            MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return outcome(
      next(&PMPI_Gather, "PMPI_Gather")(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
}
STARLING_FAULTY PMPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                             MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return outcome(next(&PMPI_Scatter, "PMPI_Scatter")(send, send_count, send_type, receive, receive_count, receive_type,
                                                     root, comm));
}
STARLING_FAULTY PMPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                               int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return outcome(
      next(&PMPI_Allgather, "PMPI_Allgather")(send, send_count, send_type, receive, receive_count, receive_type, comm));
}
// What other calls around late ranks end with.
STARLING_FAULTY PMPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return outcome(next(&PMPI_Waitall, "PMPI_Waitall")(count, requests, statuses));
}
STARLING_FAULTY PMPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return outcome(next(&PMPI_Send, "PMPI_Send")(buffer, count, type, to, tag, comm));
}
// What a reduction around late ranks asks for first: later an error on one rank would leave others without a message
// that they wait for.
STARLING_FAULTY PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  return outcome(next(&PMPI_Type_get_true_extent, "PMPI_Type_get_true_extent")(type, lower, extent));
}
