// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collectives with a root: every root, every size, in place and not (MPI-5.0, 6.4 to 6.6 and 6.9).
#include <algorithm>

#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

std::vector<int> some_roots(int size) {
  std::vector<int> roots = {0};
  if (size > 1) roots.push_back(size - 1);
  if (size > 2) roots.push_back(size / 2);
  return roots;
}

void on_each_root(Context& world, const std::function<void(const Comm&, int root, int count)>& body) {
  on_each_comm(world, [&](const Comm& comm) {
    for (const int root : some_roots(comm.size)) {
      for (const int count : counts()) body(comm, root, count);
    }
  });
}

MPI_CASE("MPI_Bcast gives everyone the root's values", 1, 8) {
  on_each_root(world, [&](const Comm& comm, int root, int count) {
    std::vector<int> values = comm.rank == root ? values_of(root, count) : std::vector<int>(values_of(99, count));
    MPI_Bcast(values.data(), count, MPI_INT, root, comm.handle);
    CHECK(values == values_of(root, count));
  });
}

MPI_CASE("MPI_Bcast of a large message", 2, 4) {
  constexpr int kCount = 3 << 20;
  std::vector<int> values = world.rank == 1 ? values_of(1, kCount) : std::vector<int>(kCount);
  MPI_Bcast(values.data(), kCount, MPI_INT, 1, world.comm);
  CHECK(values == values_of(1, kCount));
}

MPI_CASE("MPI_Reduce gives the root the sum and nobody else anything", 1, 8) {
  on_each_root(world, [&](const Comm& comm, int root, int count) {
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> sum(static_cast<std::size_t>(count), -1);
    MPI_Reduce(mine.data(), sum.data(), count, MPI_INT, MPI_SUM, root, comm.handle);
    CHECK(sum ==
          (comm.rank == root ? sum_of(0, comm.size, count) : std::vector<int>(static_cast<std::size_t>(count), -1)));
    CHECK(mine == values_of(comm.rank, count));
  });
}

MPI_CASE("MPI_Reduce works in the root's place", 1, 8) {
  on_each_root(world, [&](const Comm& comm, int root, int count) {
    std::vector<int> mine = values_of(comm.rank, count);
    if (comm.rank == root) {
      MPI_Reduce(MPI_IN_PLACE, mine.data(), count, MPI_INT, MPI_SUM, root, comm.handle);
      CHECK(mine == sum_of(0, comm.size, count));
    } else {
      MPI_Reduce(mine.data(), nullptr, count, MPI_INT, MPI_SUM, root, comm.handle);
      CHECK(mine == values_of(comm.rank, count));
    }
  });
}

MPI_CASE("MPI_Gather lines up everyone's values at the root", 1, 8) {
  on_each_root(world, [&](const Comm& comm, int root, int count) {
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> all(static_cast<std::size_t>(count * comm.size), -1);
    MPI_Gather(mine.data(), count, MPI_INT, comm.rank == root ? all.data() : nullptr, count, MPI_INT, root,
               comm.handle);
    if (comm.rank == root) CHECK(all == all_values(comm.size, count));
  });
}

MPI_CASE("MPI_Gather works in the root's place", 1, 8) {
  on_each_root(world, [&](const Comm& comm, int root, int count) {
    const std::vector<int> mine = values_of(comm.rank, count);
    if (comm.rank != root) {
      MPI_Gather(mine.data(), count, MPI_INT, nullptr, 0, MPI_INT, root, comm.handle);
      return;
    }
    std::vector<int> all(static_cast<std::size_t>(count * comm.size), -1);
    std::copy(mine.begin(), mine.end(), all.begin() + count * root);
    MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, all.data(), count, MPI_INT, root, comm.handle);
    CHECK(all == all_values(comm.size, count));
  });
}

MPI_CASE("MPI_Scatter gives each rank its block", 1, 8) {
  on_each_root(world, [&](const Comm& comm, int root, int count) {
    const std::vector<int> all = comm.rank == root ? all_values(comm.size, count) : std::vector<int>();
    std::vector<int> mine(static_cast<std::size_t>(count), -1);
    MPI_Scatter(comm.rank == root ? all.data() : nullptr, count, MPI_INT, mine.data(), count, MPI_INT, root,
                comm.handle);
    CHECK(mine == values_of(comm.rank, count));
  });
}

MPI_CASE("MPI_Scatter works in the root's place", 1, 8) {
  on_each_root(world, [&](const Comm& comm, int root, int count) {
    if (comm.rank == root) {
      const std::vector<int> all = all_values(comm.size, count);
      MPI_Scatter(all.data(), count, MPI_INT, MPI_IN_PLACE, count, MPI_INT, root, comm.handle);
    } else {
      std::vector<int> mine(static_cast<std::size_t>(count), -1);
      MPI_Scatter(nullptr, 0, MPI_INT, mine.data(), count, MPI_INT, root, comm.handle);
      CHECK(mine == values_of(comm.rank, count));
    }
  });
}

MPI_CASE("random roots one after the other do not mix", 2, 8) {
  auto random = world.generator();
  for (int round = 0; round < 300; ++round) {
    const int root = static_cast<int>(random() % static_cast<std::uint64_t>(world.size));
    int value = world.rank == root ? round : -1;
    MPI_Bcast(&value, 1, MPI_INT, root, world.comm);
    CHECK_EQ(value, round);
    int sum = -1;
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, world.comm);
    CHECK_EQ(sum, world.rank == root ? world.size * round : -1);
  }
}

}  // namespace
}  // namespace starling::tests
