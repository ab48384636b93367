// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The collectives between neighbours, which go on to PMPI and are noted by their call site; the nonblocking ones as
// they are started.
#include <mpi.h>

#include "noted.hpp"

using starling::pap::Noted;
using starling::pap::Operation;

STARLING_PAP_EXPORT int MPI_Neighbor_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                               int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kNeighborAllgather, send_count);
  return PMPI_Neighbor_allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

STARLING_PAP_EXPORT int MPI_Neighbor_allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                                const int receive_counts[], const int places[],
                                                MPI_Datatype receive_type, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kNeighborAllgatherv, send_count);
  return PMPI_Neighbor_allgatherv(send, send_count, send_type, receive, receive_counts, places, receive_type, comm);
}

STARLING_PAP_EXPORT int MPI_Neighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                              int receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kNeighborAlltoall, send_count);
  return PMPI_Neighbor_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

STARLING_PAP_EXPORT int MPI_Neighbor_alltoallv(const void* send, const int send_counts[], const int send_places[],
                                               MPI_Datatype send_type, void* receive, const int receive_counts[],
                                               const int receive_places[], MPI_Datatype receive_type, MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kNeighborAlltoallv, 0);
  return PMPI_Neighbor_alltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                                 receive_type, comm);
}

STARLING_PAP_EXPORT int MPI_Neighbor_alltoallw(const void* send, const int send_counts[], const MPI_Aint send_places[],
                                               const MPI_Datatype send_types[], void* receive,
                                               const int receive_counts[], const MPI_Aint receive_places[],
                                               const MPI_Datatype receive_types[], MPI_Comm comm) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kNeighborAlltoallw, 0);
  return PMPI_Neighbor_alltoallw(send, send_counts, send_places, send_types, receive, receive_counts, receive_places,
                                 receive_types, comm);
}

STARLING_PAP_EXPORT int MPI_Ineighbor_allgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                                int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                                                MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIneighborAllgather, send_count);
  return PMPI_Ineighbor_allgather(send, send_count, send_type, receive, receive_count, receive_type, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ineighbor_allgatherv(const void* send, int send_count, MPI_Datatype send_type,
                                                 void* receive, const int receive_counts[], const int places[],
                                                 MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIneighborAllgatherv, send_count);
  return PMPI_Ineighbor_allgatherv(send, send_count, send_type, receive, receive_counts, places, receive_type, comm,
                                   request);
}

STARLING_PAP_EXPORT int MPI_Ineighbor_alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                               int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                                               MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIneighborAlltoall, send_count);
  return PMPI_Ineighbor_alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ineighbor_alltoallv(const void* send, const int send_counts[], const int send_places[],
                                                MPI_Datatype send_type, void* receive, const int receive_counts[],
                                                const int receive_places[], MPI_Datatype receive_type, MPI_Comm comm,
                                                MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIneighborAlltoallv, 0);
  return PMPI_Ineighbor_alltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                                  receive_type, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ineighbor_alltoallw(const void* send, const int send_counts[], const MPI_Aint send_places[],
                                                const MPI_Datatype send_types[], void* receive,
                                                const int receive_counts[], const MPI_Aint receive_places[],
                                                const MPI_Datatype receive_types[], MPI_Comm comm,
                                                MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIneighborAlltoallw, 0);
  return PMPI_Ineighbor_alltoallw(send, send_counts, send_places, send_types, receive, receive_counts, receive_places,
                                  receive_types, comm, request);
}
