// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives: each kind, started many times, in any order, among other traffic (MPI-5.0, 6.13).
#include <algorithm>

#include "mpi/collective/comms.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

/// What a rank contributes in a round.
std::vector<int> round_values(int rank, int count, int round) { return values_of(rank + 16 * round, count); }
std::vector<int> round_sum(int first, int last, int count, int round) {
  return sum_of(first + 16 * round, last + 16 * round, count);
}

/// Changes the values of a buffer, which stays where it is, as a persistent request needs it.
/// A communicator's buffers for one request of each kind with blocks of one length.
struct Buffers {
  Buffers(const Comm& comm, int count)
      : mine(unset(count)),
        wide(unset(count * comm.size)),
        bcast(unset(count)),
        reduce(unset(count)),
        allreduce(unset(count)),
        scan(unset(count)),
        exscan(unset(count)),
        gather(unset(count * comm.size)),
        allgather(unset(count * comm.size)),
        scatter(unset(count)),
        alltoall(unset(count * comm.size)),
        block(unset(count)) {}

  std::vector<int> mine, wide, bcast, reduce, allreduce, scan, exscan, gather, allgather, scatter, alltoall, block;
};

constexpr int kKinds = 11;

void init_all(const Comm& comm, int count, int root, Buffers& b, MPI_Request* requests) {
  const MPI_Info info = MPI_INFO_NULL;
  const MPI_Comm c = comm.handle;
  MPI_Bcast_init(b.bcast.data(), count, MPI_INT, root, c, info, &requests[0]);
  MPI_Reduce_init(b.mine.data(), b.reduce.data(), count, MPI_INT, MPI_SUM, root, c, info, &requests[1]);
  MPI_Allreduce_init(b.mine.data(), b.allreduce.data(), count, MPI_INT, MPI_SUM, c, info, &requests[2]);
  MPI_Gather_init(b.mine.data(), count, MPI_INT, b.gather.data(), count, MPI_INT, root, c, info, &requests[3]);
  MPI_Allgather_init(b.mine.data(), count, MPI_INT, b.allgather.data(), count, MPI_INT, c, info, &requests[4]);
  MPI_Scatter_init(b.wide.data(), count, MPI_INT, b.scatter.data(), count, MPI_INT, root, c, info, &requests[5]);
  MPI_Alltoall_init(b.wide.data(), count, MPI_INT, b.alltoall.data(), count, MPI_INT, c, info, &requests[6]);
  MPI_Scan_init(b.mine.data(), b.scan.data(), count, MPI_INT, MPI_SUM, c, info, &requests[7]);
  MPI_Exscan_init(b.mine.data(), b.exscan.data(), count, MPI_INT, MPI_SUM, c, info, &requests[8]);
  MPI_Reduce_scatter_block_init(b.wide.data(), b.block.data(), count, MPI_INT, MPI_SUM, c, info, &requests[9]);
  MPI_Barrier_init(c, info, &requests[10]);
}

void check_all(Context& world, const Comm& comm, int count, int root, int round, const Buffers& b) {
  CHECK(b.bcast == round_values(root, count, round));
  if (comm.rank == root) CHECK(b.reduce == round_sum(0, comm.size, count, round));
  CHECK(b.allreduce == round_sum(0, comm.size, count, round));
  CHECK(b.scan == round_sum(0, comm.rank + 1, count, round));
  if (comm.rank > 0) CHECK(b.exscan == round_sum(0, comm.rank, count, round));
  for (int peer = 0; peer < comm.size; ++peer) {
    const std::vector<int> theirs = round_values(peer, count, round);
    const auto place = static_cast<std::ptrdiff_t>(peer) * count;
    if (comm.rank == root) CHECK(std::equal(theirs.begin(), theirs.end(), b.gather.begin() + place));
    CHECK(std::equal(theirs.begin(), theirs.end(), b.allgather.begin() + place));
    const std::vector<int> parcels = round_values(peer, count * comm.size, round);
    const auto own = parcels.begin() + static_cast<std::ptrdiff_t>(comm.rank) * count;
    CHECK(std::equal(own, own + count, b.alltoall.begin() + place));
    if (peer == root) CHECK(std::equal(own, own + count, b.scatter.begin()));
  }
  const std::vector<int> sum = round_sum(0, comm.size, count * comm.size, round);
  CHECK(std::equal(b.block.begin(), b.block.end(), sum.begin() + static_cast<std::ptrdiff_t>(comm.rank) * count));
}

MPI_CASE("every persistent collective gives what the blocking one gives, at each start", 1, 8) {
  on_each_comm(world, [&](const Comm& comm) {
    for (const int count : {0, 1, 30, 1000, kUnderThreadSanitizer ? 10000 : 30000}) {
      const int root = comm.size / 2;
      Buffers buffers(comm, count);
      MPI_Request requests[kKinds];
      init_all(comm, count, root, buffers, requests);
      for (int round = 0; round < 3; ++round) {
        put(buffers.mine, round_values(comm.rank, count, round));
        put(buffers.wide, round_values(comm.rank, count * comm.size, round));
        put(buffers.bcast, comm.rank == root ? buffers.mine : unset(count));
        MPI_Startall(kKinds, requests);
        MPI_Waitall(kKinds, requests, MPI_STATUSES_IGNORE);
        check_all(world, comm, count, root, round, buffers);
      }
      for (MPI_Request& request : requests) {
        CHECK(request != MPI_REQUEST_NULL);
        MPI_Request_free(&request);
      }
    }
  });
}

MPI_CASE("persistent collectives with a count for each rank", 1, 8) {
  std::vector<int> shares;
  std::vector<int> places;
  int total = 0;
  for (int i = 0; i < world.size; ++i) {
    shares.push_back(i * 50);
    places.push_back(total);
    total += i * 50;
  }
  const int count = world.rank * 50;
  std::vector<int> mine(static_cast<std::size_t>(count));
  std::vector<int> wide(static_cast<std::size_t>(total));
  std::vector<int> gather = unset(total), allgather = unset(total), scatter = unset(count), sum = unset(count);
  std::vector<int> exchanged = unset(world.size), exchanged_w = unset(world.size);
  const std::vector<int> ones(static_cast<std::size_t>(world.size), 1);
  std::vector<int> steps(ones.size());
  std::iota(steps.begin(), steps.end(), 0);
  std::vector<int> byte_steps(steps);
  for (int& step : byte_steps) step *= static_cast<int>(sizeof(int));
  const std::vector<MPI_Datatype> types(ones.size(), MPI_INT);
  std::vector<int> parcels(ones.size());
  MPI_Request requests[6];
  MPI_Gatherv_init(mine.data(), count, MPI_INT, gather.data(), shares.data(), places.data(), MPI_INT, 0, world.comm,
                   MPI_INFO_NULL, &requests[0]);
  MPI_Allgatherv_init(mine.data(), count, MPI_INT, allgather.data(), shares.data(), places.data(), MPI_INT, world.comm,
                      MPI_INFO_NULL, &requests[1]);
  MPI_Scatterv_init(wide.data(), shares.data(), places.data(), MPI_INT, scatter.data(), count, MPI_INT, world.size - 1,
                    world.comm, MPI_INFO_NULL, &requests[2]);
  MPI_Reduce_scatter_init(wide.data(), sum.data(), shares.data(), MPI_INT, MPI_SUM, world.comm, MPI_INFO_NULL,
                          &requests[3]);
  MPI_Alltoallv_init(parcels.data(), ones.data(), steps.data(), MPI_INT, exchanged.data(), ones.data(), steps.data(),
                     MPI_INT, world.comm, MPI_INFO_NULL, &requests[4]);
  MPI_Alltoallw_init(parcels.data(), ones.data(), byte_steps.data(), types.data(), exchanged_w.data(), ones.data(),
                     byte_steps.data(), types.data(), world.comm, MPI_INFO_NULL, &requests[5]);
  for (int round = 0; round < 3; ++round) {
    put(mine, round_values(world.rank, count, round));
    put(wide, round_values(world.rank, total, round));
    for (int peer = 0; peer < world.size; ++peer) {
      parcels[static_cast<std::size_t>(peer)] = round * 10000 + world.rank * 100 + peer;
    }
    MPI_Startall(6, requests);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    std::vector<int> all;
    for (int i = 0; i < world.size; ++i) {
      const std::vector<int> block = round_values(i, i * 50, round);
      all.insert(all.end(), block.begin(), block.end());
    }
    if (world.rank == 0) CHECK(gather == all);
    CHECK(allgather == all);
    const auto place = places[static_cast<std::size_t>(world.rank)];
    const std::vector<int> scattered = round_values(world.size - 1, total, round);
    CHECK(std::equal(scatter.begin(), scatter.end(), scattered.begin() + place));
    const std::vector<int> whole = round_sum(0, world.size, total, round);
    CHECK(std::equal(sum.begin(), sum.end(), whole.begin() + place));
    for (int peer = 0; peer < world.size; ++peer) {
      const int expected = round * 10000 + peer * 100 + world.rank;
      CHECK_EQ(exchanged[static_cast<std::size_t>(peer)], expected);
      CHECK_EQ(exchanged_w[static_cast<std::size_t>(peer)], expected);
    }
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

MPI_CASE("an inactive persistent collective is complete and its initialization moves nothing", 1, 8) {
  int value = world.rank;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Bcast_init(&value, 1, MPI_INT, 0, world.comm, MPI_INFO_NULL, &request);
  int flag = 0;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(flag, 1);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(world.comm);
  CHECK_EQ(value, world.rank);
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
}

MPI_CASE("starting an active persistent collective is MPI_ERR_REQUEST", 2, 8) {
  const ReturnErrors quiet;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Barrier_init(world.comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  CHECK_EQ(class_of(MPI_Start(&request)), MPI_ERR_REQUEST);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

MPI_CASE("persistent collectives are started in another order on every rank", 1, 8) {
  constexpr int kRequests = 24;  // more than have shared memory of their own
  std::vector<std::vector<int>> mine(kRequests), got(kRequests);
  std::vector<MPI_Request> requests(kRequests);
  const auto length = [](std::size_t i) { return i % 4 == 3 ? 5000 : static_cast<int>(i) + 1; };
  for (std::size_t i = 0; i < kRequests; ++i) {
    mine[i] = values_of(world.rank + static_cast<int>(i), length(i));
    got[i] = unset(length(i));
    MPI_Allreduce_init(mine[i].data(), got[i].data(), length(i), MPI_INT, MPI_SUM, world.comm, MPI_INFO_NULL,
                       &requests[i]);
  }
  auto own = world.generator(static_cast<std::uint64_t>(world.rank) + 1);
  std::vector<std::size_t> order(kRequests);
  std::iota(order.begin(), order.end(), 0u);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(order.begin(), order.end(), own);
    for (const std::size_t i : order) MPI_Start(&requests[i]);
    std::shuffle(order.begin(), order.end(), own);
    for (const std::size_t i : order) {
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      CHECK(got[i] == sum_of(static_cast<int>(i), static_cast<int>(i) + world.size, length(i)));
      std::fill(got[i].begin(), got[i].end(), -1);
    }
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

MPI_CASE("a persistent collective runs among blocking and nonblocking ones on its communicator", 1, 8) {
  int persistent = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Allreduce_init(&world.rank, &persistent, 1, MPI_INT, MPI_SUM, world.comm, MPI_INFO_NULL, &request);
  const int expected = world.size * (world.size - 1) / 2;
  for (int round = 0; round < 20; ++round) {
    // The persistent one stands before, between or behind the others, as each rank likes.
    const int turn = (round + world.rank) % 3;
    int value = world.rank == 0 ? round : -1;
    int other = -1;
    MPI_Request nonblocking = MPI_REQUEST_NULL;
    if (turn == 0) MPI_Start(&request);
    MPI_Iallreduce(&world.rank, &other, 1, MPI_INT, MPI_SUM, world.comm, &nonblocking);
    if (turn == 1) MPI_Start(&request);
    MPI_Bcast(&value, 1, MPI_INT, 0, world.comm);
    if (turn == 2) MPI_Start(&request);
    MPI_Wait(&nonblocking, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(value, round);
    CHECK_EQ(other, expected);
    CHECK_EQ(persistent, expected);
    persistent = -1;
  }
  MPI_Request_free(&request);
}

MPI_CASE("MPI_Startall starts collectives and messages together", 1, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  int sum = -1;
  int heard = -1;
  MPI_Request requests[3];
  MPI_Recv_init(&heard, 1, MPI_INT, previous, 4, world.comm, &requests[0]);
  MPI_Allreduce_init(&world.rank, &sum, 1, MPI_INT, MPI_SUM, world.comm, MPI_INFO_NULL, &requests[1]);
  MPI_Send_init(&world.rank, 1, MPI_INT, next, 4, world.comm, &requests[2]);
  for (int round = 0; round < 5; ++round) {
    sum = heard = -1;
    MPI_Startall(3, requests);
    for (int left = 3; left > 0; --left) {
      int index = -1;
      MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
      CHECK(index >= 0 && index < 3);
    }
    CHECK_EQ(sum, world.size * (world.size - 1) / 2);
    CHECK_EQ(heard, previous);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void add_ints(void* in, void* inout, int* length, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

MPI_CASE("communicator, datatype and operator may be freed before the last start", 1, 8) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(&add_ints, 1, &op);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  int sum = -1;
  int data[6] = {world.rank, -5, world.rank + 1, -5, world.rank + 2, -5};
  MPI_Request requests[2];
  MPI_Allreduce_init(&world.rank, &sum, 1, MPI_INT, op, comm, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(data, 1, type, 0, comm, MPI_INFO_NULL, &requests[1]);
  MPI_Type_free(&type);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
  for (int round = 0; round < 3; ++round) {
    sum = -1;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_EQ(sum, world.size * (world.size - 1) / 2);
  }
  CHECK(data[0] == 0 && data[2] == 1 && data[4] == 2 && data[1] == -5 && data[3] == -5);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

MPI_CASE("persistent collectives come and go thousands of times", 1, 8) {
  for (int round = 0; round < 2000; ++round) {
    int sum = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Allreduce_init(&world.rank, &sum, 1, MPI_INT, MPI_SUM, world.comm, MPI_INFO_NULL, &request);
    if (round % 2 == 0) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK_EQ(sum, world.size * (world.size - 1) / 2);
    }
    MPI_Request_free(&request);
  }
}

}  // namespace
}  // namespace starling::tests
