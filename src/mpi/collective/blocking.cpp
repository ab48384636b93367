// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Blocking collectives. Source: MPI-5.0, chapter 6.
#include "api/calls.hpp"
#include "mpi/collective/arguments.hpp"

namespace starling::mpi {

using collective::Operation;

int barrier(MPI_Comm comm) { return make_barrier(comm).run(); }

int bcast(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return make_bcast({buffer, count, datatype}, root, comm).run();
}

int gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return make_gather({sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm).run();
}

int gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Counts recvcounts,
            Displs displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return make_gatherv({sendbuf, sendcount, sendtype}, {recvbuf, recvcounts, displs, recvtype}, root, comm).run();
}

int scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return make_scatter({sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm).run();
}

int scatterv(const void* sendbuf, Counts sendcounts, Displs displs, MPI_Datatype sendtype, void* recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return make_scatterv({sendbuf, sendcounts, displs, sendtype}, {recvbuf, recvcount, recvtype}, root, comm).run();
}

int allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
              MPI_Datatype recvtype, MPI_Comm comm) {
  return make_exchange(Operation::kAllgather, Block{sendbuf, sendcount, sendtype}, Block{recvbuf, recvcount, recvtype},
                       comm)
      .run();
}

int allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Counts recvcounts,
               Displs displs, MPI_Datatype recvtype, MPI_Comm comm) {
  return make_exchange(Operation::kAllgatherv, Block{sendbuf, sendcount, sendtype},
                       Blocks{recvbuf, recvcounts, displs, recvtype}, comm)
      .run();
}

int alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
             MPI_Datatype recvtype, MPI_Comm comm) {
  return make_exchange(Operation::kAlltoall, Block{sendbuf, sendcount, sendtype}, Block{recvbuf, recvcount, recvtype},
                       comm)
      .run();
}

int alltoallv(const void* sendbuf, Counts sendcounts, Displs sdispls, MPI_Datatype sendtype, void* recvbuf,
              Counts recvcounts, Displs rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return make_exchange(Operation::kAlltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                       Blocks{recvbuf, recvcounts, rdispls, recvtype}, comm)
      .run();
}

int alltoallw(const void* sendbuf, Counts sendcounts, Displs sdispls, const MPI_Datatype sendtypes[], void* recvbuf,
              Counts recvcounts, Displs rdispls, const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return make_exchange(Operation::kAlltoallw, TypedBlocks{sendbuf, sendcounts, sdispls, sendtypes},
                       TypedBlocks{recvbuf, recvcounts, rdispls, recvtypes}, comm)
      .run();
}

int reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
           MPI_Comm comm) {
  return make_reduce({sendbuf, recvbuf, count, datatype, op}, root, comm).run();
}

int allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return make_reduction(Operation::kAllreduce, {sendbuf, recvbuf, count, datatype, op}, comm).run();
}

int scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return make_reduction(Operation::kScan, {sendbuf, recvbuf, count, datatype, op}, comm).run();
}

int exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return make_reduction(Operation::kExscan, {sendbuf, recvbuf, count, datatype, op}, comm).run();
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) {
  return make_reduction(Operation::kReduceScatterBlock, {sendbuf, recvbuf, recvcount, datatype, op}, comm).run();
}

int reduce_scatter(const void* sendbuf, void* recvbuf, Counts recvcounts, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return make_reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm).run();
}

}  // namespace starling::mpi
