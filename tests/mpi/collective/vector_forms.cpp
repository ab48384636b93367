// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collectives with a count for each rank: zeros, gaps and blocks out of order (MPI-5.0, 6.5 to 6.8).
#include <algorithm>

#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

constexpr int kGap = -9;

/// Blocks of random sizes, some empty, laid out in reverse order with gaps between them. The same on every rank.
struct Blocks {
  Blocks(std::mt19937_64& random, int ranks, int largest) {
    counts.resize(static_cast<std::size_t>(ranks));
    places.resize(counts.size());
    for (std::size_t i = counts.size(); i-- > 0;) {
      counts[i] = random() % 4 == 0 ? 0 : static_cast<int>(random() % static_cast<std::uint64_t>(largest + 1));
      places[i] = end + static_cast<int>(random() % 5);
      end = places[i] + counts[i];
    }
  }

  /// What the buffer holds when each block has arrived and nothing else was touched.
  [[nodiscard]] std::vector<int> filled() const {
    std::vector<int> all(static_cast<std::size_t>(end), kGap);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::vector<int> block = values_of(static_cast<int>(i), counts[i]);
      std::copy(block.begin(), block.end(), all.begin() + places[i]);
    }
    return all;
  }
  [[nodiscard]] std::vector<int> empty() const { return std::vector<int>(static_cast<std::size_t>(end), kGap); }

  std::vector<int> counts;
  std::vector<int> places;
  int end = 0;
};

void on_random_blocks(Context& world, const std::function<void(const Comm&, const Blocks&, int root)>& body) {
  on_each_comm(world, [&](const Comm& comm) {
    std::mt19937_64 random = world.generator(static_cast<std::uint64_t>(comm.size));
    for (const int largest : {0, 1, 10, 700, 20000}) {
      for (int repeat = 0; repeat < 4; ++repeat) {
        const Blocks blocks(random, comm.size, largest);
        body(comm, blocks, static_cast<int>(random() % static_cast<std::uint64_t>(comm.size)));
      }
    }
  });
}

MPI_CASE("MPI_Gatherv puts blocks where they belong and nothing between", 1, 8) {
  on_random_blocks(world, [&](const Comm& comm, const Blocks& blocks, int root) {
    const int count = blocks.counts[static_cast<std::size_t>(comm.rank)];
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> all = blocks.empty();
    const bool is_root = comm.rank == root;
    MPI_Gatherv(mine.data(), count, MPI_INT, is_root ? all.data() : nullptr, is_root ? blocks.counts.data() : nullptr,
                is_root ? blocks.places.data() : nullptr, MPI_INT, root, comm.handle);
    CHECK(all == (is_root ? blocks.filled() : blocks.empty()));
  });
}

MPI_CASE("MPI_Gatherv works in the root's place", 1, 8) {
  on_random_blocks(world, [&](const Comm& comm, const Blocks& blocks, int root) {
    const int count = blocks.counts[static_cast<std::size_t>(comm.rank)];
    const std::vector<int> mine = values_of(comm.rank, count);
    if (comm.rank != root) {
      MPI_Gatherv(mine.data(), count, MPI_INT, nullptr, nullptr, nullptr, MPI_INT, root, comm.handle);
      return;
    }
    std::vector<int> all = blocks.empty();
    std::copy(mine.begin(), mine.end(), all.begin() + blocks.places[static_cast<std::size_t>(root)]);
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, all.data(), blocks.counts.data(), blocks.places.data(), MPI_INT, root,
                comm.handle);
    CHECK(all == blocks.filled());
  });
}

MPI_CASE("MPI_Scatterv takes each block from its place", 1, 8) {
  on_random_blocks(world, [&](const Comm& comm, const Blocks& blocks, int root) {
    const int count = blocks.counts[static_cast<std::size_t>(comm.rank)];
    const std::vector<int> all = blocks.filled();
    const bool is_root = comm.rank == root;
    std::vector<int> mine(static_cast<std::size_t>(count), -1);
    MPI_Scatterv(is_root ? all.data() : nullptr, is_root ? blocks.counts.data() : nullptr,
                 is_root ? blocks.places.data() : nullptr, MPI_INT, mine.data(), count, MPI_INT, root, comm.handle);
    CHECK(mine == values_of(comm.rank, count));
    if (is_root) {
      MPI_Scatterv(all.data(), blocks.counts.data(), blocks.places.data(), MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root,
                   comm.handle);
    } else {
      MPI_Scatterv(nullptr, nullptr, nullptr, MPI_INT, mine.data(), count, MPI_INT, root, comm.handle);
    }
    CHECK(mine == values_of(comm.rank, count));
  });
}

MPI_CASE("MPI_Allgatherv puts blocks where they belong on every rank", 1, 8) {
  on_random_blocks(world, [&](const Comm& comm, const Blocks& blocks, int) {
    const int count = blocks.counts[static_cast<std::size_t>(comm.rank)];
    const std::vector<int> mine = values_of(comm.rank, count);
    std::vector<int> all = blocks.empty();
    MPI_Allgatherv(mine.data(), count, MPI_INT, all.data(), blocks.counts.data(), blocks.places.data(), MPI_INT,
                   comm.handle);
    CHECK(all == blocks.filled());
    all = blocks.empty();
    std::copy(mine.begin(), mine.end(), all.begin() + blocks.places[static_cast<std::size_t>(comm.rank)]);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all.data(), blocks.counts.data(), blocks.places.data(), MPI_INT,
                   comm.handle);
    CHECK(all == blocks.filled());
  });
}

/// How many elements go from one rank to another: often none, and not symmetric.
int parcel_count(std::uint64_t seed, int from, int to, int largest) {
  const std::uint64_t chance = key_of(seed, from, to);
  return chance % 3 == 0 ? 0 : static_cast<int>((chance >> 8) % static_cast<std::uint64_t>(largest + 1));
}

struct Parcels {
  Parcels(const Comm& comm, std::uint64_t seed, int largest, bool outgoing) {
    for (int peer = 0; peer < comm.size; ++peer) {
      const int from = outgoing ? comm.rank : peer;
      const int to = outgoing ? peer : comm.rank;
      counts.push_back(parcel_count(seed, from, to, largest));
      places.push_back(static_cast<int>(filled.size()));
      const std::vector<int> block = values_of(from, counts.back(), 1000 * to);
      filled.insert(filled.end(), block.begin(), block.end());
      filled.push_back(kGap);
    }
  }
  [[nodiscard]] std::vector<int> empty() const { return std::vector<int>(filled.size(), kGap); }

  std::vector<int> counts;
  std::vector<int> places;
  std::vector<int> filled;
};

MPI_CASE("MPI_Alltoallv brings parcels of any size, none included", 1, 8) {
  on_each_comm(world, [&](const Comm& comm) {
    for (const int largest : {0, 1, 10, 700, 20000}) {
      const std::uint64_t seed = world.seed + static_cast<std::uint64_t>(largest);
      const Parcels out(comm, seed, largest, true);
      const Parcels in(comm, seed, largest, false);
      std::vector<int> buffer = in.empty();
      MPI_Alltoallv(out.filled.data(), out.counts.data(), out.places.data(), MPI_INT, buffer.data(), in.counts.data(),
                    in.places.data(), MPI_INT, comm.handle);
      CHECK(buffer == in.filled);
    }
  });
}

MPI_CASE("MPI_Alltoallv in place exchanges blocks of equal size", 1, 8) {
  on_each_comm(world, [&](const Comm& comm) {
    for (const int count : {1, 10, 5000}) {
      std::vector<int> shares;
      std::vector<int> places;
      std::vector<int> buffer;
      std::vector<int> expected;
      for (int peer = 0; peer < comm.size; ++peer) {
        const int share = (peer + comm.rank) % 3 * count;  // the same seen from both ends
        shares.push_back(share);
        places.push_back(static_cast<int>(buffer.size()));
        const std::vector<int> out = values_of(comm.rank, share, peer);
        const std::vector<int> in = values_of(peer, share, comm.rank);
        buffer.insert(buffer.end(), out.begin(), out.end());
        expected.insert(expected.end(), in.begin(), in.end());
      }
      MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, buffer.data(), shares.data(), places.data(), MPI_INT,
                    comm.handle);
      CHECK(buffer == expected);
    }
  });
}

MPI_CASE("MPI_Alltoallw takes a datatype for each peer", 1, 8) {
  on_each_comm(world, [&](const Comm& comm) {
    const Parcels out(comm, world.seed, 300, true);
    const Parcels in(comm, world.seed, 300, false);
    std::vector<int> buffer = in.empty();
    std::vector<int> out_bytes(out.places);
    std::vector<int> in_bytes(in.places);
    for (int& place : out_bytes) place *= static_cast<int>(sizeof(int));
    for (int& place : in_bytes) place *= static_cast<int>(sizeof(int));
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(comm.size), MPI_INT);
    MPI_Alltoallw(out.filled.data(), out.counts.data(), out_bytes.data(), types.data(), buffer.data(), in.counts.data(),
                  in_bytes.data(), types.data(), comm.handle);
    CHECK(buffer == in.filled);
  });
}

}  // namespace
}  // namespace starling::tests
