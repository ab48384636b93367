// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The nonblocking collectives, which go on to PMPI and are noted as they are started: the time is that of starting
// them.
#include <mpi.h>

#include "noted.hpp"

using starling::pap::Noted;
using starling::pap::Operation;
using starling::pap::sum_of;

STARLING_PAP_EXPORT int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIbarrier, 0);
  return PMPI_Ibarrier(comm, request);
}

STARLING_PAP_EXPORT int MPI_Ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                                    MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIreduce, count);
  return PMPI_Ireduce(send, receive, count, type, op, root, comm, request);
}

STARLING_PAP_EXPORT int MPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                       MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIallreduce, count);
  return PMPI_Iallreduce(send, receive, count, type, op, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                                   MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIbcast, count);
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

STARLING_PAP_EXPORT int MPI_Igather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                    int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                                    MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIgather, send == MPI_IN_PLACE ? 0 : send_count);
  return PMPI_Igather(send, send_count, send_type, receive, receive_count, receive_type, root, comm, request);
}

STARLING_PAP_EXPORT int MPI_Igatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                     const int receive_counts[], const int places[], MPI_Datatype receive_type,
                                     int root, MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIgatherv, send == MPI_IN_PLACE ? 0 : send_count);
  return PMPI_Igatherv(send, send_count, send_type, receive, receive_counts, places, receive_type, root, comm, request);
}

STARLING_PAP_EXPORT int MPI_Iscatter(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                     int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm,
                                     MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIscatter, receive == MPI_IN_PLACE ? 0 : receive_count);
  return PMPI_Iscatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm, request);
}

STARLING_PAP_EXPORT int MPI_Iscatterv(const void* send, const int send_counts[], const int places[],
                                      MPI_Datatype send_type, void* receive, int receive_count,
                                      MPI_Datatype receive_type, int root, MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIscatterv, receive == MPI_IN_PLACE ? 0 : receive_count);
  return PMPI_Iscatterv(send, send_counts, places, send_type, receive, receive_count, receive_type, root, comm,
                        request);
}

STARLING_PAP_EXPORT int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                       int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                                       MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIallgather, receive_count);
  return PMPI_Iallgather(send, send_count, send_type, receive, receive_count, receive_type, comm, request);
}

STARLING_PAP_EXPORT int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                        const int receive_counts[], const int places[], MPI_Datatype receive_type,
                                        MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIallgatherv, send == MPI_IN_PLACE ? 0 : send_count);
  return PMPI_Iallgatherv(send, send_count, send_type, receive, receive_counts, places, receive_type, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                                      int receive_count, MPI_Datatype receive_type, MPI_Comm comm,
                                      MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIalltoall, receive_count);
  return PMPI_Ialltoall(send, send_count, send_type, receive, receive_count, receive_type, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_places[],
                                       MPI_Datatype send_type, void* receive, const int receive_counts[],
                                       const int receive_places[], MPI_Datatype receive_type, MPI_Comm comm,
                                       MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIalltoallv, sum_of(receive_counts, comm));
  return PMPI_Ialltoallv(send, send_counts, send_places, send_type, receive, receive_counts, receive_places,
                         receive_type, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ialltoallw(const void* send, const int send_counts[], const int send_places[],
                                       const MPI_Datatype send_types[], void* receive, const int receive_counts[],
                                       const int receive_places[], const MPI_Datatype receive_types[], MPI_Comm comm,
                                       MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIalltoallw, sum_of(receive_counts, comm));
  return PMPI_Ialltoallw(send, send_counts, send_places, send_types, receive, receive_counts, receive_places,
                         receive_types, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ireduce_scatter(const void* send, void* receive, const int receive_counts[],
                                            MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIreduceScatter, sum_of(receive_counts, comm));
  return PMPI_Ireduce_scatter(send, receive, receive_counts, type, op, comm, request);
}

STARLING_PAP_EXPORT int MPI_Ireduce_scatter_block(const void* send, void* receive, int receive_count, MPI_Datatype type,
                                                  MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIreduceScatterBlock, receive_count);
  return PMPI_Ireduce_scatter_block(send, receive, receive_count, type, op, comm, request);
}

STARLING_PAP_EXPORT int MPI_Iscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                  MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIscan, count);
  return PMPI_Iscan(send, receive, count, type, op, comm, request);
}

STARLING_PAP_EXPORT int MPI_Iexscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                                    MPI_Comm comm, MPI_Request* request) {
  const Noted noted(STARLING_PAP_SITE, comm, Operation::kIexscan, count);
  return PMPI_Iexscan(send, receive, count, type, op, comm, request);
}
