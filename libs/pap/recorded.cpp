// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The blocking collectives that go on to PMPI always, and are noted by their call site.
#include <mpi.h>

#include "noted.hpp"

using starling::pap::Noted;
using starling::pap::Operation;
using starling::pap::sum_of;

STARLING_PAP_EXPORT int MPI_Barrier(MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kBarrier, 0);
  return PMPI_Barrier(comm);
}

STARLING_PAP_EXPORT int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                    const int receive_counts[], const int places[], MPI_Datatype receive_type, int root,
                                    MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kGatherv, send == MPI_IN_PLACE ? 0 : send_count);
  return PMPI_Gatherv(send, send_count, send_type, receive, receive_counts, places, receive_type, root, comm);
}

STARLING_PAP_EXPORT int MPI_Scatterv(const void* send, const int send_counts[], const int places[],
                                     MPI_Datatype send_type, void* receive, int receive_count,
                                     MPI_Datatype receive_type, int root, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kScatterv, receive == MPI_IN_PLACE ? 0 : receive_count);
  return PMPI_Scatterv(send, send_counts, places, send_type, receive, receive_count, receive_type, root, comm);
}

STARLING_PAP_EXPORT int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                       const int receive_counts[], const int places[], MPI_Datatype receive_type,
                                       MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kAllgatherv, send == MPI_IN_PLACE ? 0 : send_count);
  return PMPI_Allgatherv(send, send_count, send_type, receive, receive_counts, places, receive_type, comm);
}

STARLING_PAP_EXPORT int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                     int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kAlltoall, receive_count);
  return PMPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

STARLING_PAP_EXPORT int MPI_Alltoallv(const void* send, const int send_counts[], const int send_places[],
                                      MPI_Datatype send_type, void* receive, const int receive_counts[],
                                      const int receive_places[], MPI_Datatype receive_type, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kAlltoallv, sum_of(receive_counts, comm));
  return PMPI_Alltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                        receive_type, comm);
}

STARLING_PAP_EXPORT int MPI_Alltoallw(const void* send, const int send_counts[], const int send_places[],
                                      const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                                      const int receive_places[], const MPI_Datatype receive_types[], MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kAlltoallw, sum_of(receive_counts, comm));
  return PMPI_Alltoallw(send, send_counts, send_places, send_types, receive, receive_counts, receive_places,
                        receive_types, comm);
}

STARLING_PAP_EXPORT int MPI_Reduce_scatter(const void* send, void* receive, const int receive_counts[],
                                           MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kReduceScatter, sum_of(receive_counts, comm));
  return PMPI_Reduce_scatter(send, receive, receive_counts, type, op, comm);
}

STARLING_PAP_EXPORT int MPI_Reduce_scatter_block(const void* send, void* receive, int receive_count, MPI_Datatype type,
                                                 MPI_Op op, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kReduceScatterBlock, receive_count);
  return PMPI_Reduce_scatter_block(send, receive, receive_count, type, op, comm);
}

STARLING_PAP_EXPORT int MPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kScan, count);
  return PMPI_Scan(send, receive, count, type, op, comm);
}

STARLING_PAP_EXPORT int MPI_Exscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                   MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kExscan, count);
  return PMPI_Exscan(send, receive, count, type, op, comm);
}
