// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives: blocking, nonblocking and persistent. Source: MPI-5.0, chapters 8.6 to 8.8.
#include "api/calls.hpp"
#include "mpi/collective/arguments.hpp"
#include "mpi/topology/neighbors.hpp"

namespace starling::mpi {

using collective::Operation;

int neighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAllgather, Block{sendbuf, sendcount, sendtype},
                       Block{recvbuf, recvcount, recvtype}, comm)
      .run();
}

int neighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        Counts recvcounts, Displs displs, MPI_Datatype recvtype, MPI_Comm comm) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAllgatherv, Block{sendbuf, sendcount, sendtype},
                       Blocks{recvbuf, recvcounts, displs, recvtype}, comm)
      .run();
}

int neighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoall, Block{sendbuf, sendcount, sendtype},
                       Block{recvbuf, recvcount, recvtype}, comm)
      .run();
}

int neighbor_alltoallv(const void* sendbuf, Counts sendcounts, Displs sdispls, MPI_Datatype sendtype, void* recvbuf,
                       Counts recvcounts, Displs rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                       Blocks{recvbuf, recvcounts, rdispls, recvtype}, comm)
      .run();
}

int neighbor_alltoallw(const void* sendbuf, Counts sendcounts, Displs sdispls, const MPI_Datatype sendtypes[],
                       void* recvbuf, Counts recvcounts, Displs rdispls, const MPI_Datatype recvtypes[],
                       MPI_Comm comm) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoallw, TypedBlocks{sendbuf, sendcounts, sdispls, sendtypes},
                       TypedBlocks{recvbuf, recvcounts, rdispls, recvtypes}, comm)
      .run();
}

int ineighbor_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAllgather, Block{sendbuf, sendcount, sendtype},
                       Block{recvbuf, recvcount, recvtype}, comm)
      .start(comm, request);
}

int ineighbor_allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         Counts recvcounts, Displs displs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAllgatherv, Block{sendbuf, sendcount, sendtype},
                       Blocks{recvbuf, recvcounts, displs, recvtype}, comm)
      .start(comm, request);
}

int ineighbor_alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoall, Block{sendbuf, sendcount, sendtype},
                       Block{recvbuf, recvcount, recvtype}, comm)
      .start(comm, request);
}

int ineighbor_alltoallv(const void* sendbuf, Counts sendcounts, Displs sdispls, MPI_Datatype sendtype, void* recvbuf,
                        Counts recvcounts, Displs rdispls, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                       Blocks{recvbuf, recvcounts, rdispls, recvtype}, comm)
      .start(comm, request);
}

int ineighbor_alltoallw(const void* sendbuf, Counts sendcounts, Displs sdispls, const MPI_Datatype sendtypes[],
                        void* recvbuf, Counts recvcounts, Displs rdispls, const MPI_Datatype recvtypes[], MPI_Comm comm,
                        MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoallw, TypedBlocks{sendbuf, sendcounts, sdispls, sendtypes},
                       TypedBlocks{recvbuf, recvcounts, rdispls, recvtypes}, comm)
      .start(comm, request);
}

int neighbor_allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                            MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAllgather, Block{sendbuf, sendcount, sendtype},
                       Block{recvbuf, recvcount, recvtype}, comm)
      .prepare(comm, request);
}

int neighbor_allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             Counts recvcounts, Displs displs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                             MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAllgatherv, Block{sendbuf, sendcount, sendtype},
                       Blocks{recvbuf, recvcounts, displs, recvtype}, comm)
      .prepare(comm, request);
}

int neighbor_alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                           MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoall, Block{sendbuf, sendcount, sendtype},
                       Block{recvbuf, recvcount, recvtype}, comm)
      .prepare(comm, request);
}

int neighbor_alltoallv_init(const void* sendbuf, Counts sendcounts, Displs sdispls, MPI_Datatype sendtype,
                            void* recvbuf, Counts recvcounts, Displs rdispls, MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Info /*info*/, MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                       Blocks{recvbuf, recvcounts, rdispls, recvtype}, comm)
      .prepare(comm, request);
}

int neighbor_alltoallw_init(const void* sendbuf, Counts sendcounts, Displs sdispls, const MPI_Datatype sendtypes[],
                            void* recvbuf, Counts recvcounts, Displs rdispls, const MPI_Datatype recvtypes[],
                            MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  if (const int rc = require_neighbors(comm)) return rc;
  return make_exchange(Operation::kNeighborAlltoallw, TypedBlocks{sendbuf, sendcounts, sdispls, sendtypes},
                       TypedBlocks{recvbuf, recvcounts, rdispls, recvtypes}, comm)
      .prepare(comm, request);
}

}  // namespace starling::mpi
