// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The MPI calls that the preloaded library takes the place of. Each hands plain cases on to PMPI at once. Collectives
// that it only notes stand in recorded.cpp.
#include <mpi.h>

#include "collectives.hpp"
#include "library.hpp"
#include "mpi/communicator.hpp"
#include "noted.hpp"

namespace {

using starling::pap::Channel;
using starling::pap::library;
using starling::pap::Noted;
using starling::pap::Operation;

bool is_rank(MPI_Comm comm, int rank) { return comm != MPI_COMM_NULL && starling::any_mpi::rank_of(comm) == rank; }

}  // namespace

STARLING_PAP_EXPORT void starling_pap_progress(double fraction) { library().progress(fraction); }

STARLING_PAP_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  starling::pap::Library::must_fit();
  int granted = MPI_THREAD_SINGLE;
  const int code = PMPI_Init_thread(argc, argv, library().threads_needed(required), &granted);
  if (provided != nullptr) *provided = granted < required ? granted : required;
  if (code == MPI_SUCCESS) library().begin(granted);
  return code;
}

STARLING_PAP_EXPORT int MPI_Init(int* argc, char*** argv) {
  starling::pap::Library::must_fit();
  int granted = MPI_THREAD_SINGLE;
  const int code = PMPI_Init_thread(argc, argv, library().threads_needed(MPI_THREAD_SINGLE), &granted);
  if (code == MPI_SUCCESS) library().begin(granted);
  return code;
}

STARLING_PAP_EXPORT int MPI_Finalize() {
  library().end();
  return PMPI_Finalize();
}

STARLING_PAP_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  if (comm != nullptr) library().forget(*comm);
  return PMPI_Comm_free(comm);
}

STARLING_PAP_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  if (comm != nullptr) library().forget(*comm);
  return PMPI_Comm_disconnect(comm);
}

STARLING_PAP_EXPORT int MPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                                   MPI_Comm comm) {
  const void* site = STARLING_PAP_SITE;
  Channel* channel = library().channel_of_reduction(comm, Operation::kReduce, count, type, op, root, site);
  if (channel != nullptr) return starling::pap::reduce(*channel, send, receive, count, type, op, root, comm);
  const Noted noted(site, comm, Operation::kReduce, count);
  return PMPI_Reduce(send, receive, count, type, op, root, comm);
}

STARLING_PAP_EXPORT int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                      MPI_Comm comm) {
  const void* site = STARLING_PAP_SITE;
  Channel* channel = library().channel_of_reduction(comm, Operation::kAllreduce, count, type, op, 0, site);
  if (channel != nullptr) return starling::pap::allreduce(*channel, send, receive, count, type, op, comm);
  const Noted noted(site, comm, Operation::kAllreduce, count);
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

STARLING_PAP_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const void* site = STARLING_PAP_SITE;
  Channel* channel = library().channel(comm, Operation::kBcast, count, type, root, site);
  if (channel != nullptr) return starling::pap::bcast(*channel, buffer, count, type, root, comm);
  const Noted noted(site, comm, Operation::kBcast, count);
  return PMPI_Bcast(buffer, count, type, root, comm);
}

STARLING_PAP_EXPORT int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                   int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const void* site = STARLING_PAP_SITE;
  // What MPI makes equal on all ranks is the block: at the root its receiving side says so, elsewhere the sending one.
  const bool takes = is_rank(comm, root);
  Channel* channel = library().channel(comm, Operation::kGather, takes ? receive_count : send_count,
                                       takes ? receive_type : send_type, root, site);
  if (channel != nullptr) {
    return starling::pap::gather(*channel, {const_cast<void*>(send), send_count, send_type},
                                 {receive, receive_count, receive_type}, root, comm);
  }
  const Noted noted(site, comm, Operation::kGather, send == MPI_IN_PLACE ? receive_count : send_count);
  return PMPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
}

STARLING_PAP_EXPORT int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                    int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const void* site = STARLING_PAP_SITE;
  const bool gives = is_rank(comm, root);
  Channel* channel = library().channel(comm, Operation::kScatter, gives ? send_count : receive_count,
                                       gives ? send_type : receive_type, root, site);
  if (channel != nullptr) {
    return starling::pap::scatter(*channel, {const_cast<void*>(send), send_count, send_type},
                                  {receive, receive_count, receive_type}, root, comm);
  }
  const Noted noted(site, comm, Operation::kScatter, receive == MPI_IN_PLACE ? send_count : receive_count);
  return PMPI_Scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
}

STARLING_PAP_EXPORT int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                      int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  const void* site = STARLING_PAP_SITE;
  Channel* channel = library().channel(comm, Operation::kAllgather, receive_count, receive_type, 0, site);
  if (channel != nullptr) {
    return starling::pap::allgather(*channel, {const_cast<void*>(send), send_count, send_type},
                                    {receive, receive_count, receive_type}, comm);
  }
  const Noted noted(site, comm, Operation::kAllgather, receive_count);
  return PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
}
