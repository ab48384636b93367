// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives on grids: order of the neighbours, open edges, grids so short that both neighbours are one
// rank (MPI-5.0, 8.6 to 8.8).
#include <algorithm>
#include <functional>
#include <vector>

#include "mpi/collective/comms.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

constexpr int kUntouched = -7;

/// A grid and this rank's neighbours in it, as MPI_Cart_shift names them.
struct Grid {
  Grid(MPI_Comm comm, int ndims) {
    MPI_Comm_rank(comm, &rank);
    handle = comm;
    for (int dim = 0; dim < ndims; ++dim) {
      int before = -1;
      int behind = -1;
      MPI_Cart_shift(comm, dim, 1, &before, &behind);
      neighbors.push_back(before);
      neighbors.push_back(behind);
    }
  }
  [[nodiscard]] int count() const { return static_cast<int>(neighbors.size()); }

  MPI_Comm handle = MPI_COMM_NULL;
  int rank = -1;
  std::vector<int> neighbors;
};

/// Rings and grids over all ranks, open and closed, each of one to three dimensions.
void on_each_grid(Context& world, const std::function<void(const Grid&)>& body) {
  for (int ndims = 1; ndims <= 3; ++ndims) {
    for (int wraps = 0; wraps < 3; ++wraps) {
      std::vector<int> dims(static_cast<std::size_t>(ndims), 0);
      MPI_Dims_create(world.size, ndims, dims.data());
      std::vector<int> periods(dims.size());
      for (std::size_t dim = 0; dim < periods.size(); ++dim) {
        periods[dim] = wraps == 2 ? 1 : wraps == 1 ? static_cast<int>(dim % 2) : 0;
      }
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Cart_create(world.comm, ndims, dims.data(), periods.data(), 0, &comm);
      body(Grid(comm, ndims));
      MPI_Comm_free(&comm);
    }
  }
}

/// The value that a rank sends in a direction: that of its block `block`.
int parcel(int from, int block, int place) { return value_of(from * 16 + block, place); }

std::vector<int> parcels_out(const Grid& grid, int count) {
  std::vector<int> out;
  for (int block = 0; block < grid.count(); ++block) {
    for (int i = 0; i < count; ++i) out.push_back(parcel(grid.rank, block, i));
  }
  return out;
}

/// What comes from the neighbour in a direction left it in the opposite one. Nothing comes over an open edge.
std::vector<int> parcels_in(const Grid& grid, int count) {
  std::vector<int> in;
  for (int block = 0; block < grid.count(); ++block) {
    const int from = grid.neighbors[static_cast<std::size_t>(block)];
    for (int i = 0; i < count; ++i) in.push_back(from == MPI_PROC_NULL ? kUntouched : parcel(from, block ^ 1, i));
  }
  return in;
}

std::vector<int> gathered(const Grid& grid, int count) {
  std::vector<int> in;
  for (const int from : grid.neighbors) {
    for (int i = 0; i < count; ++i) in.push_back(from == MPI_PROC_NULL ? kUntouched : value_of(from, i));
  }
  return in;
}

std::vector<int> untouched(const Grid& grid, int count) {
  return std::vector<int>(static_cast<std::size_t>(grid.count() * count), kUntouched);
}

MPI_CASE("MPI_Neighbor_allgather gets the blocks of the neighbours in order", 1, 8) {
  on_each_grid(world, [&](const Grid& grid) {
    for (const int count : {0, 1, 100, 20000}) {
      const std::vector<int> mine = values_of(grid.rank, count);
      std::vector<int> all = untouched(grid, count);
      MPI_Neighbor_allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, grid.handle);
      CHECK(all == gathered(grid, count));
    }
  });
}

MPI_CASE("MPI_Neighbor_alltoall exchanges across each face, also where both neighbours are one rank", 1, 8) {
  on_each_grid(world, [&](const Grid& grid) {
    for (const int count : {0, 1, 100, 20000}) {
      const std::vector<int> out = parcels_out(grid, count);
      std::vector<int> in = untouched(grid, count);
      MPI_Neighbor_alltoall(out.data(), count, MPI_INT, in.data(), count, MPI_INT, grid.handle);
      CHECK(in == parcels_in(grid, count));
    }
  });
}

/// Blocks in reverse order with a gap behind each.
struct Reversed {
  Reversed(const Grid& grid, int count) : counts(static_cast<std::size_t>(grid.count()), count) {
    for (int block = 0; block < grid.count(); ++block) {
      places.push_back((grid.count() - 1 - block) * (count + 1));
      types.push_back(MPI_INT);
      byte_places.push_back(static_cast<MPI_Aint>(places.back()) * static_cast<MPI_Aint>(sizeof(int)));
    }
  }
  [[nodiscard]] std::vector<int> spread(const std::vector<int>& blocks) const {
    std::vector<int> buffer(blocks.size() + counts.size(), kUntouched);
    for (std::size_t block = 0; block < counts.size(); ++block) {
      for (int i = 0; i < counts[block]; ++i) {
        buffer[static_cast<std::size_t>(places[block] + i)] =
            blocks[block * static_cast<std::size_t>(counts[block]) + static_cast<std::size_t>(i)];
      }
    }
    return buffer;
  }

  std::vector<int> counts;
  std::vector<int> places;
  std::vector<MPI_Aint> byte_places;
  std::vector<MPI_Datatype> types;
};

MPI_CASE("the v and w forms put every neighbour's block where it belongs and nothing between", 1, 8) {
  on_each_grid(world, [&](const Grid& grid) {
    for (const int count : {1, 300}) {
      const Reversed layout(grid, count);
      const std::vector<int> mine = values_of(grid.rank, count);
      const std::vector<int> nothing = layout.spread(untouched(grid, count));
      std::vector<int> all = nothing;
      MPI_Neighbor_allgatherv(mine.data(), count, MPI_INT, all.data(), layout.counts.data(), layout.places.data(),
                              MPI_INT, grid.handle);
      CHECK(all == layout.spread(gathered(grid, count)));
      const std::vector<int> out = layout.spread(parcels_out(grid, count));
      const std::vector<int> expected = layout.spread(parcels_in(grid, count));
      all = nothing;
      MPI_Neighbor_alltoallv(out.data(), layout.counts.data(), layout.places.data(), MPI_INT, all.data(),
                             layout.counts.data(), layout.places.data(), MPI_INT, grid.handle);
      CHECK(all == expected);
      all = nothing;
      MPI_Neighbor_alltoallw(out.data(), layout.counts.data(), layout.byte_places.data(), layout.types.data(),
                             all.data(), layout.counts.data(), layout.byte_places.data(), layout.types.data(),
                             grid.handle);
      CHECK(all == expected);
    }
  });
}

/// One request of each kind on a grid, all of them running at once.
struct Requests {
  Requests(const Grid& grid, int count)
      : layout(grid, count),
        mine(values_of(grid.rank, count)),
        out(parcels_out(grid, count)),
        wide(layout.spread(out)),
        allgather(untouched(grid, count)),
        allgatherv(layout.spread(allgather)),
        alltoall(allgather),
        alltoallv(allgatherv),
        alltoallw(allgatherv) {}

  /// The buffers stay where they are.
  void clear() {
    for (std::vector<int>* buffer : {&allgather, &allgatherv, &alltoall, &alltoallv, &alltoallw}) {
      std::fill(buffer->begin(), buffer->end(), kUntouched);
    }
  }
  void check(Context& world, const Grid& grid, int count) const {
    CHECK(allgather == gathered(grid, count));
    CHECK(allgatherv == layout.spread(gathered(grid, count)));
    CHECK(alltoall == parcels_in(grid, count));
    CHECK(alltoallv == layout.spread(parcels_in(grid, count)));
    CHECK(alltoallw == layout.spread(parcels_in(grid, count)));
  }

  Reversed layout;
  std::vector<int> mine, out, wide;
  std::vector<int> allgather, allgatherv, alltoall, alltoallv, alltoallw;
  MPI_Request all[5];
};

MPI_CASE("nonblocking neighbourhood collectives run together", 1, 8) {
  on_each_grid(world, [&](const Grid& grid) {
    for (const int count : {1, 3000}) {
      Requests r(grid, count);
      MPI_Ineighbor_allgather(r.mine.data(), count, MPI_INT, r.allgather.data(), count, MPI_INT, grid.handle,
                              &r.all[0]);
      MPI_Ineighbor_alltoallw(r.wide.data(), r.layout.counts.data(), r.layout.byte_places.data(), r.layout.types.data(),
                              r.alltoallw.data(), r.layout.counts.data(), r.layout.byte_places.data(),
                              r.layout.types.data(), grid.handle, &r.all[1]);
      MPI_Ineighbor_alltoall(r.out.data(), count, MPI_INT, r.alltoall.data(), count, MPI_INT, grid.handle, &r.all[2]);
      MPI_Ineighbor_allgatherv(r.mine.data(), count, MPI_INT, r.allgatherv.data(), r.layout.counts.data(),
                               r.layout.places.data(), MPI_INT, grid.handle, &r.all[3]);
      MPI_Ineighbor_alltoallv(r.wide.data(), r.layout.counts.data(), r.layout.places.data(), MPI_INT,
                              r.alltoallv.data(), r.layout.counts.data(), r.layout.places.data(), MPI_INT, grid.handle,
                              &r.all[4]);
      MPI_Waitall(5, r.all, MPI_STATUSES_IGNORE);
      r.check(world, grid, count);
    }
  });
}

MPI_CASE("persistent neighbourhood collectives serve many rounds", 1, 8) {
  on_each_grid(world, [&](const Grid& grid) {
    constexpr int kCount = 40;
    Requests r(grid, kCount);
    MPI_Neighbor_allgather_init(r.mine.data(), kCount, MPI_INT, r.allgather.data(), kCount, MPI_INT, grid.handle,
                                MPI_INFO_NULL, &r.all[0]);
    MPI_Neighbor_allgatherv_init(r.mine.data(), kCount, MPI_INT, r.allgatherv.data(), r.layout.counts.data(),
                                 r.layout.places.data(), MPI_INT, grid.handle, MPI_INFO_NULL, &r.all[1]);
    MPI_Neighbor_alltoall_init(r.out.data(), kCount, MPI_INT, r.alltoall.data(), kCount, MPI_INT, grid.handle,
                               MPI_INFO_NULL, &r.all[2]);
    MPI_Neighbor_alltoallv_init(r.wide.data(), r.layout.counts.data(), r.layout.places.data(), MPI_INT,
                                r.alltoallv.data(), r.layout.counts.data(), r.layout.places.data(), MPI_INT,
                                grid.handle, MPI_INFO_NULL, &r.all[3]);
    MPI_Neighbor_alltoallw_init(r.wide.data(), r.layout.counts.data(), r.layout.byte_places.data(),
                                r.layout.types.data(), r.alltoallw.data(), r.layout.counts.data(),
                                r.layout.byte_places.data(), r.layout.types.data(), grid.handle, MPI_INFO_NULL,
                                &r.all[4]);
    for (int round = 0; round < 5; ++round) {
      r.clear();
      // They may start in another order on each rank.
      for (int i = 0; i < 5; ++i) MPI_Start(&r.all[(i + grid.rank + round) % 5]);
      MPI_Waitall(5, r.all, MPI_STATUSES_IGNORE);
      r.check(world, grid, kCount);
    }
    for (MPI_Request& request : r.all) MPI_Request_free(&request);
  });
}

MPI_CASE("a neighbourhood collective without a topology is MPI_ERR_TOPOLOGY", 1, 8) {
  const ReturnErrors quiet;
  int in[8];
  const int counts[8] = {};
  CHECK_EQ(class_of(MPI_Neighbor_allgather(&world.rank, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD)), MPI_ERR_TOPOLOGY);
  CHECK_EQ(class_of(MPI_Neighbor_alltoall(&world.rank, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD)), MPI_ERR_TOPOLOGY);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(class_of(MPI_Ineighbor_allgatherv(&world.rank, 1, MPI_INT, in, counts, counts, MPI_INT, MPI_COMM_WORLD,
                                             &request)),
           MPI_ERR_TOPOLOGY);
  CHECK_EQ(class_of(MPI_Neighbor_alltoallv_init(&world.rank, counts, counts, MPI_INT, in, counts, counts, MPI_INT,
                                                MPI_COMM_WORLD, MPI_INFO_NULL, &request)),
           MPI_ERR_TOPOLOGY);
}

MPI_CASE("MPI_IN_PLACE has no meaning among neighbours", 1, 8) {
  const ReturnErrors quiet;
  const int dims[1] = {world.size};
  const int periods[1] = {1};
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  int in[2];
  const int counts[2] = {1, 1};
  const int places[2] = {0, 1};
  CHECK_EQ(class_of(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, ring)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Neighbor_alltoallv(MPI_IN_PLACE, counts, places, MPI_INT, in, counts, places, MPI_INT, ring)),
           MPI_ERR_BUFFER);
  MPI_Comm_free(&ring);
}

}  // namespace
}  // namespace starling::tests
