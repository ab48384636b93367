// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives: each kind, many at once, among other traffic (MPI-5.0, 6.12).
#include <algorithm>
#include <chrono>
#include <thread>

#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

MPI_CASE("MPI_Ibarrier completes only when all have come", 2, 8) {
  for (int late = 0; late < world.size; ++late) {
    MPI_Request request = MPI_REQUEST_NULL;
    int complete = -1;
    if (world.rank == late) {
      // Nobody can be through: this rank has not called yet. The others say so before it does.
      int others = 0;
      for (int i = 1; i < world.size; ++i) {
        int through = -1;
        MPI_Recv(&through, 1, MPI_INT, MPI_ANY_SOURCE, 5, world.comm, MPI_STATUS_IGNORE);
        others += through;
      }
      CHECK_EQ(others, 0);
      MPI_Ibarrier(world.comm, &request);
    } else {
      MPI_Ibarrier(world.comm, &request);
      for (int i = 0; i < 50; ++i) MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
      MPI_Send(&complete, 1, MPI_INT, late, 5, world.comm);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
  }
}

MPI_CASE("every nonblocking collective gives what the blocking one gives", 1, 8) {
  on_each_comm(world, [&](const Comm& comm) {
    for (const int count : {0, 1, 30, 1000, 30000}) {
      const int root = comm.size / 2;
      const std::vector<int> mine = values_of(comm.rank, count);
      const std::vector<int> wide = values_of(comm.rank, count * comm.size);
      const std::vector<int> gathered = all_values(comm.size, count);
      std::vector<int> bcast = comm.rank == root ? values_of(root, count) : unset(count);
      std::vector<int> reduce = unset(count), allreduce = unset(count), scan = unset(count), exscan = unset(count);
      std::vector<int> gather = unset(count * comm.size), allgather = unset(count * comm.size);
      std::vector<int> scatter = unset(count), alltoall = unset(count * comm.size), block = unset(count);
      MPI_Request requests[11];
      MPI_Ibcast(bcast.data(), count, MPI_INT, root, comm.handle, &requests[0]);
      MPI_Ireduce(mine.data(), reduce.data(), count, MPI_INT, MPI_SUM, root, comm.handle, &requests[1]);
      MPI_Iallreduce(mine.data(), allreduce.data(), count, MPI_INT, MPI_SUM, comm.handle, &requests[2]);
      MPI_Igather(mine.data(), count, MPI_INT, gather.data(), count, MPI_INT, root, comm.handle, &requests[3]);
      MPI_Iallgather(mine.data(), count, MPI_INT, allgather.data(), count, MPI_INT, comm.handle, &requests[4]);
      MPI_Iscatter(gathered.data(), count, MPI_INT, scatter.data(), count, MPI_INT, root, comm.handle, &requests[5]);
      MPI_Ialltoall(wide.data(), count, MPI_INT, alltoall.data(), count, MPI_INT, comm.handle, &requests[6]);
      MPI_Iscan(mine.data(), scan.data(), count, MPI_INT, MPI_SUM, comm.handle, &requests[7]);
      MPI_Iexscan(mine.data(), exscan.data(), count, MPI_INT, MPI_SUM, comm.handle, &requests[8]);
      MPI_Ireduce_scatter_block(wide.data(), block.data(), count, MPI_INT, MPI_SUM, comm.handle, &requests[9]);
      MPI_Ibarrier(comm.handle, &requests[10]);
      MPI_Waitall(11, requests, MPI_STATUSES_IGNORE);
      CHECK(bcast == values_of(root, count));
      CHECK(reduce == (comm.rank == root ? sum_of(0, comm.size, count) : unset(count)));
      CHECK(allreduce == sum_of(0, comm.size, count));
      CHECK(gather == (comm.rank == root ? gathered : unset(count * comm.size)));
      CHECK(allgather == gathered);
      CHECK(scatter == mine);
      CHECK(scan == sum_of(0, comm.rank + 1, count));
      if (comm.rank > 0) CHECK(exscan == sum_of(0, comm.rank, count));
      const std::vector<int> sum = sum_of(0, comm.size, count * comm.size);
      CHECK(std::equal(block.begin(), block.end(), sum.begin() + comm.rank * count));
      for (int peer = 0; peer < comm.size; ++peer) {
        const std::vector<int> parcel = values_of(peer, count, comm.rank * count);
        CHECK(std::equal(parcel.begin(), parcel.end(), alltoall.begin() + peer * count));
      }
    }
  });
}

MPI_CASE("nonblocking collectives with a count for each rank", 1, 8) {
  const int size = world.size;
  std::vector<int> counts_of(static_cast<std::size_t>(size));
  std::vector<int> places(counts_of.size());
  int total = 0;
  for (int i = 0; i < size; ++i) {
    counts_of[static_cast<std::size_t>(i)] = i * 50;
    places[static_cast<std::size_t>(i)] = total;
    total += i * 50;
  }
  const int count = world.rank * 50;
  const std::vector<int> mine = values_of(world.rank, count);
  std::vector<int> all;
  for (int i = 0; i < size; ++i) {
    const std::vector<int> block = values_of(i, i * 50);
    all.insert(all.end(), block.begin(), block.end());
  }
  std::vector<int> gather = unset(total), allgather = unset(total), scatter = unset(count), sum = unset(count);
  const std::vector<int> wide = values_of(world.rank, total);
  MPI_Request requests[4];
  MPI_Igatherv(mine.data(), count, MPI_INT, gather.data(), counts_of.data(), places.data(), MPI_INT, 0, world.comm,
               &requests[0]);
  MPI_Iallgatherv(mine.data(), count, MPI_INT, allgather.data(), counts_of.data(), places.data(), MPI_INT, world.comm,
                  &requests[1]);
  MPI_Iscatterv(all.data(), counts_of.data(), places.data(), MPI_INT, scatter.data(), count, MPI_INT, size - 1,
                world.comm, &requests[2]);
  MPI_Ireduce_scatter(wide.data(), sum.data(), counts_of.data(), MPI_INT, MPI_SUM, world.comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  if (world.rank == 0) CHECK(gather == all);
  CHECK(allgather == all);
  CHECK(scatter == mine);
  const std::vector<int> whole = sum_of(0, size, total);
  CHECK(std::equal(sum.begin(), sum.end(), whole.begin() + places[static_cast<std::size_t>(world.rank)]));
}

/// How many elements one rank has for another in a round: often none, mostly few, now and then more than a segment
/// holds.
int elements_of(int round, int from, int to) {
  const unsigned mixed = static_cast<unsigned>(round * 7919 + from * 104729 + to * 1299709) * 2654435761U >> 16;
  if (mixed % 4 == 0) return 0;
  return static_cast<int>(mixed % 16 == 1 ? 9000 + mixed % 3000 : mixed % 40);
}

MPI_CASE("a hundred exchanges of blocks of any length are polled to their end", 1, 8) {
  for (int round = 0; round < 100; ++round) {
    std::vector<int> send_counts, send_places, receive_counts, receive_places, mine, right;
    for (int other = 0; other < world.size; ++other) {
      const int out = elements_of(round, world.rank, other);
      const int in = elements_of(round, other, world.rank);
      send_counts.push_back(out);
      send_places.push_back(static_cast<int>(mine.size()));
      receive_counts.push_back(in);
      receive_places.push_back(static_cast<int>(right.size()));
      for (int i = 0; i < out; ++i) mine.push_back(1000 * world.rank + other + i + round);
      for (int i = 0; i < in; ++i) right.push_back(1000 * other + world.rank + i + round);
    }
    std::vector<int> all = unset(static_cast<int>(right.size()));
    MPI_Request request = MPI_REQUEST_NULL;
    if (round % 2 == 0) {
      MPI_Ialltoallv(mine.data(), send_counts.data(), send_places.data(), MPI_INT, all.data(), receive_counts.data(),
                     receive_places.data(), MPI_INT, world.comm, &request);
    } else {
      const std::vector<MPI_Datatype> types(static_cast<std::size_t>(world.size), MPI_INT);
      for (int& place : send_places) place *= static_cast<int>(sizeof(int));
      for (int& place : receive_places) place *= static_cast<int>(sizeof(int));
      MPI_Ialltoallw(mine.data(), send_counts.data(), send_places.data(), types.data(), all.data(),
                     receive_counts.data(), receive_places.data(), types.data(), world.comm, &request);
      // The arrays of counts and types are the program's again when the call returns (MPI-5.0, 6.12).
      send_counts.assign(send_counts.size(), -1);
    }
    for (int complete = 0; complete == 0;) MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
    CHECK(all == right);
  }
}

MPI_CASE("a hundred collectives are in flight at once and complete in any order", 1, 8) {
  constexpr int kCollectives = 100;
  auto random = world.generator();
  std::vector<MPI_Request> requests(kCollectives);
  std::vector<std::vector<int>> mine;
  std::vector<std::vector<int>> got;
  std::vector<int> counts_of;
  std::vector<int> roots;
  for (int i = 0; i < kCollectives; ++i) {
    counts_of.push_back(static_cast<int>(random() % 3000));
    roots.push_back(static_cast<int>(random() % static_cast<std::uint64_t>(world.size)));
    mine.push_back(values_of(world.rank + i, counts_of.back()));
    got.push_back(i % 2 == 1 && world.rank == roots.back() ? mine.back() : unset(counts_of.back()));
  }
  for (std::size_t i = 0; i < kCollectives; ++i) {
    if (i % 2 == 0) {
      MPI_Iallreduce(mine[i].data(), got[i].data(), counts_of[i], MPI_INT, MPI_SUM, world.comm, &requests[i]);
    } else {
      MPI_Ibcast(got[i].data(), counts_of[i], MPI_INT, roots[i], world.comm, &requests[i]);
    }
  }
  // Every rank waits in its own order.
  std::vector<std::size_t> order(kCollectives);
  std::iota(order.begin(), order.end(), 0u);
  auto own_random = world.generator(static_cast<std::uint64_t>(world.rank) + 1);
  std::shuffle(order.begin(), order.end(), own_random);
  for (const std::size_t i : order) {
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    if (i % 2 == 0) CHECK(got[i] == sum_of(static_cast<int>(i), static_cast<int>(i) + world.size, counts_of[i]));
    if (i % 2 == 1) CHECK(got[i] == values_of(roots[i] + static_cast<int>(i), counts_of[i]));
  }
}

MPI_CASE("a nonblocking collective goes on while its rank does something else", 2, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (int round = 0; round < 20; ++round) {
    int sum = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, world.comm, &request);
    int other = -1;
    MPI_Sendrecv(&world.rank, 1, MPI_INT, next, 1, &other, 1, MPI_INT, previous, 1, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(other, previous);
    int value = world.rank == 0 ? round : -1;
    MPI_Bcast(&value, 1, MPI_INT, 0, world.comm);
    CHECK_EQ(value, round);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(sum, world.size * (world.size - 1) / 2);
  }
}

MPI_CASE("collectives on several communicators are waited for together with messages", 1, 8) {
  constexpr int kComms = 4;
  MPI_Comm comms[kComms];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(world.comm, &comm);
  int sums[kComms] = {};
  const int terms[kComms] = {0, 1, 2, 3};
  int message = -1;
  MPI_Request requests[kComms + 2];
  MPI_Irecv(&message, 1, MPI_INT, world.rank, 1, world.comm, &requests[kComms]);
  // Different communicators: ranks may start them in different orders.
  for (int i = 0; i < kComms; ++i) {
    const int which = (i + world.rank) % kComms;
    MPI_Iallreduce(&terms[which], &sums[which], 1, MPI_INT, MPI_SUM, comms[which], &requests[which]);
  }
  MPI_Isend(&world.rank, 1, MPI_INT, world.rank, 1, world.comm, &requests[kComms + 1]);
  for (int left = kComms + 2; left > 0; --left) {
    int index = -1;
    MPI_Waitany(kComms + 2, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index >= 0 && index < kComms + 2);
  }
  CHECK_EQ(message, world.rank);
  for (int i = 0; i < kComms; ++i) CHECK_EQ(sums[i], i * world.size);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

MPI_CASE("a communicator freed while its collective runs serves to the end", 2, 8) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  int sum = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(sum, world.size * (world.size - 1) / 2);
}

}  // namespace
}  // namespace starling::tests
