// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Blocking collectives. Source: MPI-5.0, chapter 6.
#include "api/calls.hpp"
#include "mpi/boundary/check_arguments.hpp"
#include "mpi/collective/arguments.hpp"

namespace starling::mpi {

using collective::Operation;

int barrier(MPI_Comm comm) { return make_barrier(comm).run(); }

int bcast(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return run(count == 0, Operation::kBcast, root, comm, [&] {
    return make_bcast({buffer, count, datatype}, root, comm);
  });
}

int gather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run((at_root(comm, root) ? recvcount : sendcount) == 0, Operation::kGather, root, comm, [&] {
    return make_gather({sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm);
  });
}

int gatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Counts recvcounts,
            Displs displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Block mine{sendbuf, sendcount, sendtype};
  return run(no_part_at(root, mine, recvcounts, comm), Operation::kGatherv, root, comm, [&] {
    return make_gatherv(mine, {recvbuf, recvcounts, displs, recvtype}, root, comm);
  });
}

int scatter(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run((at_root(comm, root) ? sendcount : recvcount) == 0, Operation::kScatter, root, comm, [&] {
    return make_scatter({sendbuf, sendcount, sendtype}, {recvbuf, recvcount, recvtype}, root, comm);
  });
}

int scatterv(const void* sendbuf, Counts sendcounts, Displs displs, MPI_Datatype sendtype, void* recvbuf,
             MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Block mine{recvbuf, recvcount, recvtype};
  return run(no_part_at(root, mine, sendcounts, comm), Operation::kScatterv, root, comm, [&] {
    return make_scatterv({sendbuf, sendcounts, displs, sendtype}, mine, root, comm);
  });
}

int allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
              MPI_Datatype recvtype, MPI_Comm comm) {
  return run(recvcount == 0, Operation::kAllgather, 0, comm, [&] {
    return make_exchange(Operation::kAllgather, Block{sendbuf, sendcount, sendtype},
                         Block{recvbuf, recvcount, recvtype}, comm);
  });
}

int allgatherv(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, Counts recvcounts,
               Displs displs, MPI_Datatype recvtype, MPI_Comm comm) {
  return run(all_zero(recvcounts, comm), Operation::kAllgatherv, 0, comm, [&] {
    return make_exchange(Operation::kAllgatherv, Block{sendbuf, sendcount, sendtype},
                         Blocks{recvbuf, recvcounts, displs, recvtype}, comm);
  });
}

int alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
             MPI_Datatype recvtype, MPI_Comm comm) {
  return run(recvcount == 0, Operation::kAlltoall, 0, comm, [&] {
    return make_exchange(Operation::kAlltoall, Block{sendbuf, sendcount, sendtype}, Block{recvbuf, recvcount, recvtype},
                         comm);
  });
}

int alltoallv(const void* sendbuf, Counts sendcounts, Displs sdispls, MPI_Datatype sendtype, void* recvbuf,
              Counts recvcounts, Displs rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return run(no_part(sendbuf, sendcounts, recvcounts, comm), Operation::kAlltoallv, 0, comm, [&] {
    return make_exchange(Operation::kAlltoallv, Blocks{sendbuf, sendcounts, sdispls, sendtype},
                         Blocks{recvbuf, recvcounts, rdispls, recvtype}, comm);
  });
}

int alltoallw(const void* sendbuf, Counts sendcounts, Displs sdispls, const MPI_Datatype sendtypes[], void* recvbuf,
              Counts recvcounts, Displs rdispls, const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run(no_part(sendbuf, sendcounts, recvcounts, comm), Operation::kAlltoallw, 0, comm, [&] {
    return make_exchange(Operation::kAlltoallw, TypedBlocks{sendbuf, sendcounts, sdispls, sendtypes},
                         TypedBlocks{recvbuf, recvcounts, rdispls, recvtypes}, comm);
  });
}

int reduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
           MPI_Comm comm) {
  return run(count == 0, Operation::kReduce, root, comm, [&] {
    return make_reduce({sendbuf, recvbuf, count, datatype, op}, root, comm);
  });
}

int allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run(count == 0, Operation::kAllreduce, 0, comm, [&] {
    return make_reduction(Operation::kAllreduce, {sendbuf, recvbuf, count, datatype, op}, comm);
  });
}

int scan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run(count == 0, Operation::kScan, 0, comm, [&] {
    return make_reduction(Operation::kScan, {sendbuf, recvbuf, count, datatype, op}, comm);
  });
}

int exscan(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run(count == 0, Operation::kExscan, 0, comm, [&] {
    return make_reduction(Operation::kExscan, {sendbuf, recvbuf, count, datatype, op}, comm);
  });
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) {
  return run(recvcount == 0, Operation::kReduceScatterBlock, 0, comm, [&] {
    return make_reduction(Operation::kReduceScatterBlock, {sendbuf, recvbuf, recvcount, datatype, op}, comm);
  });
}

int reduce_scatter(const void* sendbuf, void* recvbuf, Counts recvcounts, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return run(all_zero(recvcounts, comm), Operation::kReduceScatter, 0, comm, [&] {
    return make_reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm);
  });
}

}  // namespace starling::mpi
