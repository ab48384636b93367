// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives. Info has no keys that matter here. Source: MPI-5.0, chapter 6.13.
#include "api/calls.hpp"
#include "mpi/collective/arguments.hpp"

namespace starling::mpi {

using collective::Operation;

int barrier_init(MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_barrier(comm).prepare(comm, request);
}

int bcast_init(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info /*info*/,
               MPI_Request* request) {
  return make_bcast({buffer, count, datatype}, root, comm).prepare(comm, request);
}

int gather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_gather({sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm).prepare(comm, request);
}

int gatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Counts recvcounts,
                 Displs displs, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info /*info*/,
                 MPI_Request* request) {
  return make_gatherv({sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype}, root, comm)
      .prepare(comm, request);
}

int scatter_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_scatter({sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm)
      .prepare(comm, request);
}

int scatterv_init(const void* sendbuf, Counts sendcounts, Displs displs, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info /*info*/,
                  MPI_Request* request) {
  return make_scatterv({sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype}, root, comm)
      .prepare(comm, request);
}

int allgather_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_exchange(Operation::kAllgather, Block{sendbuf, sendcount, sendtype}, Block{recvbuf, recvcount, recvtype},
                       comm)
      .prepare(comm, request);
}

int allgatherv_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Counts recvcounts,
                    Displs displs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_exchange(Operation::kAllgatherv, Block{sendbuf, sendcount, sendtype},
                       Blocks{recvbuf, recvcounts, displs, recvtype}, comm)
      .prepare(comm, request);
}

int alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_exchange(Operation::kAlltoall, Block{sendbuf, sendcount, sendtype}, Block{recvbuf, recvcount, recvtype},
                       comm)
      .prepare(comm, request);
}

int alltoallv_init(const void* sendbuf, Counts sendcounts, Displs sdispls, MPI_Datatype sendtype, void* recvbuf,
                   Counts recvcounts, Displs rdispls, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info /*info*/,
                   MPI_Request* request) {
  return make_exchange(Operation::kAlltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                       Blocks{recvbuf, recvcounts, rdispls, recvtype}, comm)
      .prepare(comm, request);
}

int alltoallw_init(const void* sendbuf, Counts sendcounts, Displs sdispls, const MPI_Datatype sendtypes[],
                   void* recvbuf, Counts recvcounts, Displs rdispls, const MPI_Datatype recvtypes[], MPI_Comm comm,
                   MPI_Info /*info*/, MPI_Request* request) {
  return make_exchange(Operation::kAlltoallw, TypedBlocks{sendbuf, sendcounts, sdispls, sendtypes},
                       TypedBlocks{recvbuf, recvcounts, rdispls, recvtypes}, comm)
      .prepare(comm, request);
}

int reduce_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_reduce({sendbuf, recvbuf, count, datatype, op}, root, comm).prepare(comm, request);
}

int allreduce_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Info /*info*/, MPI_Request* request) {
  return make_reduction(Operation::kAllreduce, {sendbuf, recvbuf, count, datatype, op}, comm).prepare(comm, request);
}

int scan_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Info /*info*/, MPI_Request* request) {
  return make_reduction(Operation::kScan, {sendbuf, recvbuf, count, datatype, op}, comm).prepare(comm, request);
}

int exscan_init(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                MPI_Info /*info*/, MPI_Request* request) {
  return make_reduction(Operation::kExscan, {sendbuf, recvbuf, count, datatype, op}, comm).prepare(comm, request);
}

int reduce_scatter_block_init(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_reduction(Operation::kReduceScatterBlock, {sendbuf, recvbuf, recvcount, datatype, op}, comm)
      .prepare(comm, request);
}

int reduce_scatter_init(const void* sendbuf, void* recvbuf, Counts recvcounts, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Info /*info*/, MPI_Request* request) {
  return make_reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm).prepare(comm, request);
}

}  // namespace starling::mpi
