// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collectives without a root: every size, in place and not (MPI-5.0, 6.3, 6.7 to 6.11).
#include <algorithm>
#include <chrono>
#include <thread>

#include "mpi/collective/comms.hpp"
#include "support/clocks.hpp"

namespace starling::tests {
namespace {

void on_each_count(Context& world, const std::function<void(const Comm&, int count)>& body) {
  on_each_comm(world, [&](const Comm& comm) {
    for (const int count : counts()) body(comm, count);
  });
}

MPI_CASE("nobody leaves MPI_Barrier before the last one comes", 2, 8) {
  for (int late = 0; late < world.size; ++late) {
    MPI_Barrier(world.comm);
    if (world.rank == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    long long came = shared_clock_ns();
    MPI_Barrier(world.comm);
    const long long left = shared_clock_ns();
    MPI_Bcast(&came, 1, MPI_LONG_LONG, late, world.comm);
    CHECK(left >= came);
  }
}

MPI_CASE("a message sent before a barrier can be received behind it", 2, 8) {
  const int next = (world.rank + 1) % world.size;
  for (int round = 0; round < 50; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&round, 1, MPI_INT, next, 1, world.comm, &request);
    MPI_Barrier(world.comm);
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(value, round);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

MPI_CASE("MPI_Allreduce gives everyone the sum", 1, 8) {
  on_each_count(world, [&](const Comm& comm, int count) {
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> sum(static_cast<std::size_t>(count), -1);
    MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, comm.handle);
    CHECK(sum == sum_of(0, comm.size, count));
    sum = mine;
    MPI_Allreduce(MPI_IN_PLACE, sum.data(), count, MPI_INT, MPI_SUM, comm.handle);
    CHECK(sum == sum_of(0, comm.size, count));
    CHECK(mine == values_of(comm.rank, count));
  });
}

MPI_CASE("MPI_Allreduce of a large vector", 2, 8) {
  constexpr int kCount = 1000003;
  std::vector<int> sum = values_of(world.rank, kCount);
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), kCount, MPI_INT, MPI_SUM, world.comm);
  CHECK(sum == sum_of(0, world.size, kCount));
}

MPI_CASE("MPI_Allgather lines up everyone's values everywhere", 1, 8) {
  on_each_count(world, [&](const Comm& comm, int count) {
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> all(static_cast<std::size_t>(count * comm.size), -1);
    MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm.handle);
    CHECK(all == all_values(comm.size, count));
    std::fill(all.begin(), all.end(), -1);
    std::copy(mine.begin(), mine.end(), all.begin() + count * comm.rank);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, all.data(), count, MPI_INT, comm.handle);
    CHECK(all == all_values(comm.size, count));
  });
}

/// What rank `from` has for rank `to`.
std::vector<int> parcel(int from, int to, int count) { return values_of(from, count, to * count); }

std::vector<int> parcels(const Comm& comm, int count, bool outgoing) {
  std::vector<int> all;
  for (int peer = 0; peer < comm.size; ++peer) {
    const std::vector<int> one = outgoing ? parcel(comm.rank, peer, count) : parcel(peer, comm.rank, count);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

MPI_CASE("MPI_Alltoall brings every parcel to its rank", 1, 8) {
  on_each_count(world, [&](const Comm& comm, int count) {
    std::vector<int> out = parcels(comm, count, true);
    std::vector<int> in(out.size(), -1);
    MPI_Alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, comm.handle);
    CHECK(in == parcels(comm, count, false));
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, out.data(), count, MPI_INT, comm.handle);
    CHECK(out == parcels(comm, count, false));
  });
}

MPI_CASE("MPI_Scan gives the sum up to and with oneself", 1, 8) {
  on_each_count(world, [&](const Comm& comm, int count) {
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> sum(static_cast<std::size_t>(count), -1);
    MPI_Scan(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, comm.handle);
    CHECK(sum == sum_of(0, comm.rank + 1, count));
    sum = mine;
    MPI_Scan(MPI_IN_PLACE, sum.data(), count, MPI_INT, MPI_SUM, comm.handle);
    CHECK(sum == sum_of(0, comm.rank + 1, count));
  });
}

MPI_CASE("MPI_Exscan gives the sum before oneself and leaves rank 0 alone", 1, 8) {
  on_each_count(world, [&](const Comm& comm, int count) {
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> sum(static_cast<std::size_t>(count), -1);
    MPI_Exscan(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, comm.handle);
    if (comm.rank > 0) CHECK(sum == sum_of(0, comm.rank, count));
    sum = mine;
    MPI_Exscan(MPI_IN_PLACE, sum.data(), count, MPI_INT, MPI_SUM, comm.handle);
    if (comm.rank > 0) CHECK(sum == sum_of(0, comm.rank, count));
  });
}

/// A part of the sum over all ranks.
std::vector<int> part_of_sum(const Comm& comm, int first, int count, int total) {
  const std::vector<int> sum = sum_of(0, comm.size, total);
  return {sum.begin() + first, sum.begin() + first + count};
}

MPI_CASE("MPI_Reduce_scatter_block gives each rank its block of the sum", 1, 8) {
  on_each_count(world, [&](const Comm& comm, int count) {
    std::vector<int> mine = values_of(comm.rank, count * comm.size);
    std::vector<int> block(static_cast<std::size_t>(count), -1);
    MPI_Reduce_scatter_block(mine.data(), block.data(), count, MPI_INT, MPI_SUM, comm.handle);
    const std::vector<int> expected = part_of_sum(comm, comm.rank * count, count, count * comm.size);
    CHECK(block == expected);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, mine.data(), count, MPI_INT, MPI_SUM, comm.handle);
    mine.resize(static_cast<std::size_t>(count));
    CHECK(mine == expected);
  });
}

MPI_CASE("MPI_Reduce_scatter gives ranks blocks of different sizes", 1, 8) {
  on_each_count(world, [&](const Comm& comm, int count) {
    std::vector<int> shares(static_cast<std::size_t>(comm.size));
    for (int i = 0; i < comm.size; ++i) shares[static_cast<std::size_t>(i)] = i % 3 == 1 ? 0 : count / (i + 1);
    const int total = std::accumulate(shares.begin(), shares.end(), 0);
    const int first = std::accumulate(shares.begin(), shares.begin() + comm.rank, 0);
    const int share = shares[static_cast<std::size_t>(comm.rank)];
    std::vector<int> mine = values_of(comm.rank, total);
    std::vector<int> block(static_cast<std::size_t>(share), -1);
    MPI_Reduce_scatter(mine.data(), block.data(), shares.data(), MPI_INT, MPI_SUM, comm.handle);
    CHECK(block == part_of_sum(comm, first, share, total));
    MPI_Reduce_scatter(MPI_IN_PLACE, mine.data(), shares.data(), MPI_INT, MPI_SUM, comm.handle);
    mine.resize(static_cast<std::size_t>(share));
    CHECK(mine == part_of_sum(comm, first, share, total));
  });
}

}  // namespace
}  // namespace starling::tests
