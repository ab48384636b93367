// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collectives that move no data: nobody waits for anybody, and the calls around them stay in step (MPI-5.0, 6.1: only a
// barrier synchronizes).
#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

using Call = std::function<void(const Comm&)>;

/// Every blocking collective of which all ranks know that it moves nothing: by its count, or by its datatype.
std::vector<Call> blocking(int count, MPI_Datatype type) {
  static int buffer[64];
  static const int zeros[64] = {};
  return {
      [=](const Comm& c) { MPI_Bcast(buffer, count, type, c.size - 1, c.handle); },
      [=](const Comm& c) { MPI_Gather(buffer, count, type, buffer + 1, count, type, 0, c.handle); },
      [=](const Comm& c) { MPI_Scatter(buffer, count, type, buffer + 1, count, type, 0, c.handle); },
      [=](const Comm& c) { MPI_Gatherv(buffer, 0, type, buffer + 1, zeros, zeros, type, 0, c.handle); },
      [=](const Comm& c) { MPI_Scatterv(buffer, zeros, zeros, type, buffer + 1, 0, type, 0, c.handle); },
      [=](const Comm& c) { MPI_Allgather(buffer, count, type, buffer + 1, count, type, c.handle); },
      [=](const Comm& c) { MPI_Alltoall(buffer, count, type, buffer + 1, count, type, c.handle); },
      [=](const Comm& c) { MPI_Allgatherv(buffer, 0, type, buffer + 1, zeros, zeros, type, c.handle); },
      [=](const Comm& c) { MPI_Alltoallv(buffer, zeros, zeros, type, buffer + 1, zeros, zeros, type, c.handle); },
      [=](const Comm& c) { MPI_Reduce(buffer, buffer + 1, 0, MPI_INT, MPI_SUM, 0, c.handle); },
      [=](const Comm& c) { MPI_Allreduce(buffer, buffer + 1, 0, MPI_INT, MPI_SUM, c.handle); },
      [=](const Comm& c) { MPI_Scan(buffer, buffer + 1, 0, MPI_INT, MPI_SUM, c.handle); },
      [=](const Comm& c) { MPI_Exscan(buffer, buffer + 1, 0, MPI_INT, MPI_SUM, c.handle); },
      [=](const Comm& c) { MPI_Reduce_scatter(buffer, buffer + 1, zeros, MPI_INT, MPI_SUM, c.handle); },
      [=](const Comm& c) { MPI_Reduce_scatter_block(buffer, buffer + 1, 0, MPI_INT, MPI_SUM, c.handle); },
  };
}

/// Rank 0 makes the call only when all the others are through with theirs.
void nobody_waits_in(const Call& call, const Comm& comm) {
  int token = 0;
  if (comm.rank == 0) {
    for (int i = 1; i < comm.size; ++i) {
      MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm.handle, MPI_STATUS_IGNORE);
    }
    call(comm);
  } else {
    call(comm);
    MPI_Send(&token, 1, MPI_INT, 0, 3, comm.handle);
  }
}

/// A collective with data gives what it should.
void check_in_step(Context& world, const Comm& comm) {
  const int mine = comm.rank + 1;
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm.handle);
  CHECK_EQ(sum, comm.size * (comm.size + 1) / 2);
}

MPI_CASE("a blocking collective without data waits for nobody, and later ones stay in step", 2, 8) {
  MPI_Datatype empty = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  on_each_comm(world, [&](const Comm& comm) {
    for (const Call& call : blocking(0, MPI_INT)) {
      nobody_waits_in(call, comm);
      check_in_step(world, comm);
    }
    for (const Call& call : blocking(3, empty)) nobody_waits_in(call, comm);
    check_in_step(world, comm);
  });
  MPI_Type_free(&empty);
}

MPI_CASE("a nonblocking or persistent collective without data is complete at its first test", 2, 8) {
  int buffer[2] = {7, 7};
  on_each_comm(world, [&](const Comm& comm) {
    MPI_Request persistent = MPI_REQUEST_NULL;
    MPI_Allreduce_init(buffer, buffer + 1, 0, MPI_INT, MPI_SUM, comm.handle, MPI_INFO_NULL, &persistent);
    nobody_waits_in(
        [&](const Comm& c) {
          MPI_Request request = MPI_REQUEST_NULL;
          int complete = 0;
          MPI_Ibcast(buffer, 0, MPI_INT, 0, c.handle, &request);
          MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
          CHECK(complete);
          for (int start = 0; start < 3; ++start) {
            MPI_Start(&persistent);
            MPI_Test(&persistent, &complete, MPI_STATUS_IGNORE);
            CHECK(complete);
          }
        },
        comm);
    MPI_Request_free(&persistent);
    check_in_step(world, comm);
  });
  CHECK_EQ(buffer[1], 7);
}

MPI_CASE("a block without data is no message: only those that exchange data wait for each other", 3, 8) {
  // Rank 0 and the last exchange one number in MPI_Alltoallv; the ranks between are through before rank 0 comes.
  std::vector<int> counts(static_cast<std::size_t>(world.size), 0), displs(counts);
  const int last = world.size - 1;
  if (world.rank == 0) counts[static_cast<std::size_t>(last)] = 1;
  if (world.rank == last) counts[0] = 1;
  const int mine = 10 + world.rank;
  int got = -1;
  const auto exchange = [&] {
    MPI_Alltoallv(&mine, counts.data(), displs.data(), MPI_INT, &got, counts.data(), displs.data(), MPI_INT,
                  world.comm);
  };
  int token = 0;
  if (world.rank == 0) {
    for (int i = 1; i < last; ++i) MPI_Recv(&token, 1, MPI_INT, i, 4, world.comm, MPI_STATUS_IGNORE);
    exchange();
    CHECK_EQ(got, 10 + last);
  } else {
    exchange();
    CHECK_EQ(got, world.rank == last ? 10 : -1);
    if (world.rank != last) MPI_Send(&token, 1, MPI_INT, 0, 4, world.comm);
  }
}

/// One number of each rank that has one, and none of the others, in all calls whose blocks may differ: each round by
/// other ranks, blocking and nonblocking, from and to roots that change or stay.
MPI_CASE("ranks with and without data make the v forms in turn, and stay in step", 1, 8) {
  on_each_comm(world, [&](const Comm& comm) {
    const auto size = static_cast<std::size_t>(comm.size);
    std::vector<int> displs(size);
    for (int rank = 0; rank < comm.size; ++rank) displs[static_cast<std::size_t>(rank)] = rank;
    for (int round = 0; round < 60; ++round) {
      const auto has = [&](int rank) { return (rank * 7 + round * 5 + round / 9) % 3 == 0 ? 1 : 0; };
      const int root = round % 4 < 2 ? 0 : round % comm.size;
      std::vector<int> counts(size), expected(size, -1), got(size, -1), numbers(size);
      for (std::size_t rank = 0; rank < size; ++rank) {
        counts[rank] = has(static_cast<int>(rank));
        numbers[rank] = round * 100 + static_cast<int>(rank);
        if (counts[rank] != 0) expected[rank] = numbers[rank];
      }
      const auto me = static_cast<std::size_t>(comm.rank);
      MPI_Request request = MPI_REQUEST_NULL;
      if (round % 2 == 0) {
        MPI_Gatherv(&numbers[me], counts[me], MPI_INT, got.data(), counts.data(), displs.data(), MPI_INT, root,
                    comm.handle);
      } else {
        MPI_Igatherv(&numbers[me], counts[me], MPI_INT, got.data(), counts.data(), displs.data(), MPI_INT, root,
                     comm.handle, &request);
      }
      int own = -1;
      MPI_Scatterv(numbers.data(), counts.data(), displs.data(), MPI_INT, &own, counts[me], MPI_INT, root, comm.handle);
      CHECK_EQ(own, expected[me]);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK(comm.rank != root || got == expected);

      // Who has a number sends it to all, and nobody else sends.
      std::vector<int> mine(size, counts[me]), all(size, -1);
      MPI_Alltoallv(std::vector<int>(size, numbers[me]).data(), mine.data(), displs.data(), MPI_INT, all.data(),
                    counts.data(), displs.data(), MPI_INT, comm.handle);
      CHECK(all == expected);
      if (round % 10 == 0) check_in_step(world, comm);
    }
  });
}

MPI_CASE("a rank whose block is empty waits for nobody in MPI_Gatherv and MPI_Scatterv", 3, 8) {
  // The last rank gives rank 0 a number, and gets one; the ranks between are through before rank 0 comes.
  const int last = world.size - 1;
  std::vector<int> counts(static_cast<std::size_t>(world.size), 0), displs(counts);
  counts[static_cast<std::size_t>(last)] = 1;
  const int mine = 10 + world.rank, count = world.rank == last ? 1 : 0;
  for (int round = 0; round < 20; ++round) {
    int gathered = -1, scattered = -1, token = 0;
    const auto both = [&] {
      MPI_Gatherv(&mine, count, MPI_INT, &gathered, counts.data(), displs.data(), MPI_INT, 0, world.comm);
      MPI_Scatterv(&mine, counts.data(), displs.data(), MPI_INT, &scattered, count, MPI_INT, 0, world.comm);
    };
    if (world.rank == 0) {
      for (int i = 1; i < last; ++i) MPI_Recv(&token, 1, MPI_INT, i, 4, world.comm, MPI_STATUS_IGNORE);
      both();
      CHECK_EQ(gathered, 10 + last);
    } else {
      both();
      CHECK_EQ(scattered, world.rank == last ? 10 : -1);
      if (world.rank != last) MPI_Send(&token, 1, MPI_INT, 0, 4, world.comm);
    }
  }
}

}  // namespace
}  // namespace starling::tests
