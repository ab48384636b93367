// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Cartesian grids (MPI-5.0, 8.5).
#include <array>
#include <numeric>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("MPI_Dims_create divides as evenly as it can and keeps what is set", 1, 1) {
  struct Wanted {
    int nodes;
    std::vector<int> given;
    std::vector<int> result;
  };
  const Wanted all[] = {{6, {0, 0}, {3, 2}},
                        {7, {0, 0}, {7, 1}},
                        {6, {0, 3, 0}, {2, 3, 1}},
                        {16, {0, 0}, {4, 4}},
                        {12, {0, 0, 0}, {3, 2, 2}},
                        {1, {0, 0, 0}, {1, 1, 1}},
                        {24, {0, 0, 0}, {4, 3, 2}},
                        {64, {0, 0, 0}, {4, 4, 4}},
                        {5, {5}, {5}},
                        {5040, {0, 0, 0}, {21, 16, 15}}};
  for (const Wanted& one : all) {
    std::vector<int> dims = one.given;
    MPI_Dims_create(one.nodes, static_cast<int>(dims.size()), dims.data());
    CHECK(dims == one.result);
  }
  const ReturnErrors quiet;
  int impossible[] = {0, 4};
  CHECK_EQ(class_of(MPI_Dims_create(6, 2, impossible)), MPI_ERR_DIMS);
}

/// A grid of two dimensions over all ranks: wraps in the first dimension only.
struct Grid {
  explicit Grid(Context& world) {
    MPI_Dims_create(world.size, 2, dims);
    MPI_Cart_create(world.comm, 2, dims, periods, 0, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Cart_coords(comm, rank, 2, coords);
  }
  ~Grid() { MPI_Comm_free(&comm); }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  int dims[2] = {0, 0};
  const int periods[2] = {1, 0};
  int coords[2] = {-1, -1};
  int rank = -1;
  MPI_Comm comm = MPI_COMM_NULL;
};

MPI_CASE("ranks and coordinates of a grid are in row order", 1, 8) {
  const Grid grid(world);
  CHECK_EQ(grid.rank, world.rank);
  CHECK_EQ(grid.coords[0], grid.rank / grid.dims[1]);
  CHECK_EQ(grid.coords[1], grid.rank % grid.dims[1]);
  for (int rank = 0; rank < world.size; ++rank) {
    int coords[2];
    MPI_Cart_coords(grid.comm, rank, 2, coords);
    int back = -1;
    MPI_Cart_rank(grid.comm, coords, &back);
    CHECK_EQ(back, rank);
  }
  // Along a periodic dimension any coordinate is legal.
  const int wrapped[2] = {grid.coords[0] - 3 * grid.dims[0], grid.coords[1]};
  int rank = -1;
  MPI_Cart_rank(grid.comm, wrapped, &rank);
  CHECK_EQ(rank, grid.rank);
}

MPI_CASE("a grid tells its shape", 1, 8) {
  const Grid grid(world);
  int kind = -1;
  MPI_Topo_test(grid.comm, &kind);
  CHECK_EQ(kind, MPI_CART);
  MPI_Topo_test(world.comm, &kind);
  CHECK_EQ(kind, MPI_UNDEFINED);
  int count = -1;
  MPI_Cartdim_get(grid.comm, &count);
  CHECK_EQ(count, 2);
  int dims[2], periods[2], coords[2];
  MPI_Cart_get(grid.comm, 2, dims, periods, coords);
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(dims[i], grid.dims[i]);
    CHECK_EQ(periods[i] != 0, grid.periods[i] != 0);
    CHECK_EQ(coords[i], grid.coords[i]);
  }
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(grid.comm, &copy);
  MPI_Topo_test(copy, &kind);
  CHECK_EQ(kind, MPI_CART);
  MPI_Comm_free(&copy);
}

MPI_CASE("shifts wrap along periodic dimensions and end at the others", 1, 8) {
  const Grid grid(world);
  for (const int step : {1, -1, 2}) {
    for (int dimension = 0; dimension < 2; ++dimension) {
      int source = -77;
      int destination = -77;
      MPI_Cart_shift(grid.comm, dimension, step, &source, &destination);
      const auto neighbour = [&](int offset) -> int {
        std::array<int, 2> coords = {grid.coords[0], grid.coords[1]};
        const auto d = static_cast<std::size_t>(dimension);
        coords[d] += offset;
        const int length = grid.dims[dimension];
        if (!grid.periods[dimension] && (coords[d] < 0 || coords[d] >= length)) return MPI_PROC_NULL;
        coords[d] = (coords[d] % length + length) % length;
        return coords[0] * grid.dims[1] + coords[1];
      };
      CHECK_EQ(source, neighbour(-step));
      CHECK_EQ(destination, neighbour(step));
      int value = -1;
      MPI_Sendrecv(&grid.rank, 1, MPI_INT, destination, 1, &value, 1, MPI_INT, source, 1, grid.comm, MPI_STATUS_IGNORE);
      CHECK_EQ(value, source == MPI_PROC_NULL ? -1 : source);
    }
  }
}

MPI_CASE("rows and columns of a grid are grids", 1, 8) {
  const Grid grid(world);
  for (int kept = 0; kept < 2; ++kept) {
    const int remain[2] = {kept == 0, kept == 1};
    MPI_Comm line = MPI_COMM_NULL;
    MPI_Cart_sub(grid.comm, remain, &line);
    int size = -1;
    int rank = -1;
    int dims = -1;
    MPI_Comm_size(line, &size);
    MPI_Comm_rank(line, &rank);
    MPI_Cartdim_get(line, &dims);
    CHECK_EQ(size, grid.dims[kept]);
    CHECK_EQ(rank, grid.coords[kept]);
    CHECK_EQ(dims, 1);
    int sum = -1;
    MPI_Allreduce(&grid.coords[1 - kept], &sum, 1, MPI_INT, MPI_SUM, line);
    CHECK_EQ(sum, grid.coords[1 - kept] * size);
    MPI_Comm_free(&line);
  }
}

MPI_CASE("ranks that a grid has no place for get no communicator", 2, 8) {
  const int dims[1] = {world.size - 1};
  const int periods[1] = {0};
  MPI_Comm line = MPI_COMM_WORLD;
  MPI_Cart_create(world.comm, 1, dims, periods, 0, &line);
  CHECK_EQ(line == MPI_COMM_NULL, world.rank == world.size - 1);
  if (line != MPI_COMM_NULL) MPI_Comm_free(&line);
}

MPI_CASE("MPI_Cart_map places as many ranks as the grid has places", 1, 8) {
  const int dims[1] = {(world.size + 1) / 2};
  const int periods[1] = {0};
  int mine = -1;
  MPI_Cart_map(world.comm, 1, dims, periods, &mine);
  CHECK(mine == MPI_UNDEFINED || (mine >= 0 && mine < dims[0]));
  int taken = mine == MPI_UNDEFINED ? 0 : 1, sum = mine == MPI_UNDEFINED ? 0 : mine;
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_INT, MPI_SUM, world.comm);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, world.comm);
  CHECK_EQ(taken, dims[0]);
  CHECK_EQ(sum, dims[0] * (dims[0] - 1) / 2);
}

MPI_CASE("a grid larger than the communicator is an error", 1, 2) {
  const ReturnErrors quiet;
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &parent);
  const int dims[1] = {world.size + 1};
  const int periods[1] = {0};
  MPI_Comm line = MPI_COMM_NULL;
  CHECK(MPI_Cart_create(parent, 1, dims, periods, 0, &line) != MPI_SUCCESS);
  int source = 0;
  int destination = 0;
  CHECK_EQ(class_of(MPI_Cart_shift(parent, 0, 1, &source, &destination)), MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&parent);
}

MPI_CASE("a grid without dimensions has one place", 1, 4) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Cart_create(world.comm, 0, nullptr, nullptr, 0, &comm);
  CHECK_EQ(comm != MPI_COMM_NULL, world.rank == 0);
  if (comm == MPI_COMM_NULL) return;
  int rank = -1;
  MPI_Cart_rank(comm, nullptr, &rank);
  CHECK_EQ(rank, 0);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Cart_sub(comm, nullptr, &part);
  int dims = -1;
  MPI_Cartdim_get(part, &dims);
  CHECK_EQ(dims, 0);
  MPI_Comm_free(&part);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace starling::tests
