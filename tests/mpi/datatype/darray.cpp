// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Distributed arrays (MPI-5.0, 5.1.4): the parts of all processes make up the array, each element once.
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

struct Shape {
  int global[2];
  int distributions[2];
  int arguments[2];
  int processes[2];
  int order;
};

MPI_Datatype part_of(const Shape& shape, int rank) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_darray(shape.processes[0] * shape.processes[1], rank, 2, shape.global, shape.distributions,
                         shape.arguments, shape.processes, shape.order, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

constexpr int kDefault = MPI_DISTRIBUTE_DFLT_DARG;
const Shape kShapes[] = {
    {{7, 5}, {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, {kDefault, kDefault}, {2, 2}, MPI_ORDER_C},
    {{7, 5}, {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, {kDefault, 2}, {2, 3}, MPI_ORDER_FORTRAN},
    {{6, 9}, {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}, {kDefault, 4}, {1, 2}, MPI_ORDER_C},
    {{8, 8}, {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, {5, 3}, {2, 3}, MPI_ORDER_FORTRAN},
};

MPI_CASE("the parts of a distributed array make up the array", 1, 1) {
  for (const Shape& shape : kShapes) {
    const int elements = shape.global[0] * shape.global[1];
    std::vector<int> array(static_cast<std::size_t>(elements), 0);
    int total = 0;
    for (int rank = 0; rank < shape.processes[0] * shape.processes[1]; ++rank) {
      MPI_Datatype type = part_of(shape, rank);
      int bytes = 0;
      MPI_Aint lower = -1, extent = 0;
      MPI_Type_size(type, &bytes);
      MPI_Type_get_extent(type, &lower, &extent);
      CHECK_EQ(lower, MPI_Aint{0});
      CHECK_EQ(extent, static_cast<MPI_Aint>(elements * static_cast<int>(sizeof(int))));
      const std::vector<int> mine(static_cast<std::size_t>(bytes) / sizeof(int), rank + 1);
      int position = 0;
      MPI_Unpack(mine.data(), bytes, &position, array.data(), 1, type, MPI_COMM_SELF);
      total += static_cast<int>(mine.size());
      MPI_Type_free(&type);
    }
    CHECK_EQ(total, elements);
    for (const int owner : array) CHECK(owner > 0);
  }
}

MPI_CASE("a cyclic distribution deals blocks in turn", 1, 1) {
  const int size = 10, kind = MPI_DISTRIBUTE_CYCLIC, block = 2, processes = 3;
  for (int rank = 0; rank < processes; ++rank) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_darray(processes, rank, 1, &size, &kind, &block, &processes, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::vector<int> array(10), mine(10, -1), expected;
    for (int i = 0; i < size; ++i) {
      array[static_cast<std::size_t>(i)] = i;
      if (i / block % processes == rank) expected.push_back(i);
    }
    int position = 0;
    MPI_Pack(array.data(), 1, type, mine.data(), 40, &position, MPI_COMM_SELF);
    mine.resize(static_cast<std::size_t>(position) / sizeof(int));
    CHECK(mine == expected);
    MPI_Type_free(&type);
  }
}

MPI_CASE("a distributed array gives its arguments back", 1, 1) {
  const Shape& shape = kShapes[1];
  MPI_Datatype type = part_of(shape, 4);
  int integers = 0, addresses = -1, types = 0, combiner = 0;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  CHECK_EQ(combiner, MPI_COMBINER_DARRAY);
  CHECK_EQ(integers, 4 * 2 + 4);
  CHECK_EQ(addresses, 0);
  CHECK_EQ(types, 1);
  std::vector<int> contents(12);
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Type_get_contents(type, 12, 0, 1, contents.data(), nullptr, &element);
  const std::vector<int> expected = {
      6, 4, 2, 7, 5, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, kDefault, 2, 2, 3, MPI_ORDER_FORTRAN};
  CHECK(contents == expected);
  CHECK(element == MPI_INT);
  MPI_Type_free(&type);
}

MPI_CASE("a distributed array that does not fit its grid is refused", 1, 1) {
  const ReturnErrors errors;
  const int size = 10, processes = 3, kind = MPI_DISTRIBUTE_BLOCK, small = 2;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto make = [&](int ranks, int rank, int argument, int order) {
    return class_of(MPI_Type_create_darray(ranks, rank, 1, &size, &kind, &argument, &processes, order, MPI_INT, &type));
  };
  CHECK_EQ(make(4, 0, kDefault, MPI_ORDER_C), MPI_ERR_ARG);
  CHECK_EQ(make(3, 3, kDefault, MPI_ORDER_C), MPI_ERR_ARG);
  CHECK_EQ(make(3, 0, small, MPI_ORDER_C), MPI_ERR_ARG);
  CHECK_EQ(make(3, 0, kDefault, 99), MPI_ERR_ARG);
}

}  // namespace
}  // namespace starling::tests
