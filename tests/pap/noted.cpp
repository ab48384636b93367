// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls that the preloaded library only notes, blocking, nonblocking and between neighbours, once each, with their
// results checked, among allreduces of two lengths. Prints "all right" at the end.
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

int rank;
int size;

void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void done(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

struct Lists {
  std::vector<int> ones = std::vector<int>(static_cast<std::size_t>(size), 1);
  std::vector<int> places = std::vector<int>(static_cast<std::size_t>(size));
  std::vector<int> mine = std::vector<int>(static_cast<std::size_t>(size), rank);
  std::vector<int> all = std::vector<int>(static_cast<std::size_t>(size), -1);
  std::vector<MPI_Datatype> types = std::vector<MPI_Datatype>(static_cast<std::size_t>(size), MPI_BYTE);
  std::vector<char> letters = std::vector<char>(static_cast<std::size_t>(size), static_cast<char>(rank));
  std::vector<char> their_letters = std::vector<char>(static_cast<std::size_t>(size), -1);

  Lists() {
    for (int i = 0; i < size; ++i) places[static_cast<std::size_t>(i)] = i;
  }
};

/// The blocking ones.
void waited_for() {
  const auto ranks = static_cast<std::size_t>(size);
  const std::vector<int> ones(ranks, 1);
  std::vector<int> places(ranks);
  for (int i = 0; i < size; ++i) places[static_cast<std::size_t>(i)] = i;
  const std::vector<MPI_Datatype> types(ranks, MPI_BYTE);
  const std::vector<int> mine(ranks, rank);
  const std::vector<char> letters(ranks, static_cast<char>(rank));
  std::vector<char> their_letters(ranks, -1);
  std::vector<int> all(ranks, -1);
  int own = -1;
  MPI_Gatherv(&rank, 1, MPI_INT, all.data(), ones.data(), places.data(), MPI_INT, 0, MPI_COMM_WORLD);
  check(rank != 0 || all == places, "a gatherv");
  MPI_Scatterv(all.data(), ones.data(), places.data(), MPI_INT, &own, 1, MPI_INT, 0, MPI_COMM_WORLD);
  check(own == rank, "a scatterv");
  MPI_Allgatherv(&rank, 1, MPI_INT, all.data(), ones.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
  check(all == places, "an allgatherv");
  MPI_Alltoall(mine.data(), 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  check(all == places, "an alltoall");
  MPI_Alltoallv(mine.data(), ones.data(), places.data(), MPI_INT, all.data(), ones.data(), places.data(), MPI_INT,
                MPI_COMM_WORLD);
  check(all == places, "an alltoallv");
  MPI_Alltoallw(letters.data(), ones.data(), places.data(), types.data(), their_letters.data(), ones.data(),
                places.data(), types.data(), MPI_COMM_WORLD);
  check(their_letters.back() == size - 1, "an alltoallw");
  MPI_Reduce_scatter(places.data(), &own, ones.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(own == size * rank, "a reduce_scatter");
  MPI_Reduce_scatter_block(places.data(), &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(own == size * rank, "a reduce_scatter_block");
  MPI_Scan(&rank, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(own == rank * (rank + 1) / 2, "a scan");
  MPI_Exscan(&rank, &own, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(rank == 0 || own == rank * (rank - 1) / 2, "an exscan");
}

void started() {
  Lists l;
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Request r = MPI_REQUEST_NULL;
  int own = -1;
  MPI_Ibarrier(comm, &r), done(&r);
  int from_root = rank == 0 ? 7 : -1;
  MPI_Ibcast(&from_root, 1, MPI_INT, 0, comm, &r), done(&r);
  check(from_root == 7, "an ibcast");
  MPI_Ireduce(&rank, &own, 1, MPI_INT, MPI_SUM, 0, comm, &r), done(&r);
  check(rank != 0 || own == size * (size - 1) / 2, "an ireduce");
  MPI_Iallreduce(&rank, &own, 1, MPI_INT, MPI_SUM, comm, &r), done(&r);
  check(own == size * (size - 1) / 2, "an iallreduce");
  MPI_Igather(&rank, 1, MPI_INT, l.all.data(), 1, MPI_INT, 0, comm, &r), done(&r);
  check(rank != 0 || l.all == l.places, "an igather");
  MPI_Igatherv(&rank, 1, MPI_INT, l.all.data(), l.ones.data(), l.places.data(), MPI_INT, 0, comm, &r), done(&r);
  check(rank != 0 || l.all == l.places, "an igatherv");
  MPI_Iscatter(l.places.data(), 1, MPI_INT, &own, 1, MPI_INT, 0, comm, &r), done(&r);
  check(own == rank, "an iscatter");
  MPI_Iscatterv(l.places.data(), l.ones.data(), l.places.data(), MPI_INT, &own, 1, MPI_INT, 0, comm, &r), done(&r);
  check(own == rank, "an iscatterv");
  MPI_Iallgather(&rank, 1, MPI_INT, l.all.data(), 1, MPI_INT, comm, &r), done(&r);
  check(l.all == l.places, "an iallgather");
  MPI_Iallgatherv(&rank, 1, MPI_INT, l.all.data(), l.ones.data(), l.places.data(), MPI_INT, comm, &r), done(&r);
  check(l.all == l.places, "an iallgatherv");
  MPI_Ialltoall(l.mine.data(), 1, MPI_INT, l.all.data(), 1, MPI_INT, comm, &r), done(&r);
  check(l.all == l.places, "an ialltoall");
  MPI_Ialltoallv(l.mine.data(), l.ones.data(), l.places.data(), MPI_INT, l.all.data(), l.ones.data(), l.places.data(),
                 MPI_INT, comm, &r),
      done(&r);
  check(l.all == l.places, "an ialltoallv");
  MPI_Ialltoallw(l.letters.data(), l.ones.data(), l.places.data(), l.types.data(), l.their_letters.data(),
                 l.ones.data(), l.places.data(), l.types.data(), comm, &r),
      done(&r);
  check(l.their_letters.back() == size - 1, "an ialltoallw");
  MPI_Ireduce_scatter(l.places.data(), &own, l.ones.data(), MPI_INT, MPI_SUM, comm, &r), done(&r);
  check(own == size * rank, "an ireduce_scatter");
  MPI_Ireduce_scatter_block(l.places.data(), &own, 1, MPI_INT, MPI_SUM, comm, &r), done(&r);
  check(own == size * rank, "an ireduce_scatter_block");
  MPI_Iscan(&rank, &own, 1, MPI_INT, MPI_SUM, comm, &r), done(&r);
  check(own == rank * (rank + 1) / 2, "an iscan");
  MPI_Iexscan(&rank, &own, 1, MPI_INT, MPI_SUM, comm, &r), done(&r);
  check(rank == 0 || own == rank * (rank - 1) / 2, "an iexscan");
}

/// A ring: the neighbours are the rank before and the rank behind.
void between_neighbours() {
  MPI_Comm ring = MPI_COMM_NULL;
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  const int expected[2] = {(rank + size - 1) % size, (rank + 1) % size};
  const int mine[2] = {rank, rank};
  const int ones[2] = {1, 1};
  const int places[2] = {0, 1};
  const MPI_Aint bytes[2] = {0, sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  int got[2] = {-1, -1};
  MPI_Request r = MPI_REQUEST_NULL;
  const auto good = [&](const char* what) {
    check(got[0] == expected[0] && got[1] == expected[1], what);
    got[0] = got[1] = -1;
  };
  MPI_Neighbor_allgather(mine, 1, MPI_INT, got, 1, MPI_INT, ring), good("a neighbor_allgather");
  MPI_Neighbor_allgatherv(mine, 1, MPI_INT, got, ones, places, MPI_INT, ring), good("a neighbor_allgatherv");
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, got, 1, MPI_INT, ring), good("a neighbor_alltoall");
  MPI_Neighbor_alltoallv(mine, ones, places, MPI_INT, got, ones, places, MPI_INT, ring), good("a neighbor_alltoallv");
  MPI_Neighbor_alltoallw(mine, ones, bytes, types, got, ones, bytes, types, ring), good("a neighbor_alltoallw");
  MPI_Ineighbor_allgather(mine, 1, MPI_INT, got, 1, MPI_INT, ring, &r), done(&r), good("an ineighbor_allgather");
  MPI_Ineighbor_allgatherv(mine, 1, MPI_INT, got, ones, places, MPI_INT, ring, &r), done(&r);
  good("an ineighbor_allgatherv");
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, got, 1, MPI_INT, ring, &r), done(&r), good("an ineighbor_alltoall");
  MPI_Ineighbor_alltoallv(mine, ones, places, MPI_INT, got, ones, places, MPI_INT, ring, &r), done(&r);
  good("an ineighbor_alltoallv");
  MPI_Ineighbor_alltoallw(mine, ones, bytes, types, got, ones, bytes, types, ring, &r), done(&r);
  good("an ineighbor_alltoallw");
  MPI_Comm_free(&ring);
}

void allreduces(int count) {
  const std::vector<int> mine(static_cast<std::size_t>(count), 1);
  std::vector<int> sum(mine.size());
  for (int i = 0; i < 5; ++i) {
    MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum.back() == size, "an allreduce");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  waited_for();
  started();
  between_neighbours();
  allreduces(100);
  allreduces(10000);
  if (rank == 0) std::puts("all right");
  MPI_Finalize();
  return 0;
}
