// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the elements of a datatype lie, and how a vector of them is cut into segments.
//
// Thread safety: value types.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace starling::pap {

struct Shape {
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  bool contiguous = false;  ///< elements lie side by side without holes

  int read(MPI_Datatype type) {
    MPI_Aint lower = 0;
    int size = 0;
    int code = PMPI_Type_get_extent(type, &lower, &extent);
    if (code == MPI_SUCCESS) code = PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
    if (code == MPI_SUCCESS) code = PMPI_Type_size(type, &size);
    contiguous = true_lower == 0 && true_extent == extent && size == extent;
    return code;
  }

  /// From the first byte to the last of so many elements.
  [[nodiscard]] std::size_t bytes(int count) const {
    return count == 0 ? 0 : static_cast<std::size_t>((count - 1) * extent + true_extent);
  }
};

/// `count` elements in `segments` pieces that differ by at most one element.
struct Cut {
  int count;
  int segments;

  [[nodiscard]] int first(int segment) const {
    return static_cast<int>(static_cast<std::int64_t>(count) * segment / segments);
  }
  [[nodiscard]] int length(int segment) const { return first(segment + 1) - first(segment); }
  [[nodiscard]] int longest() const { return (count + segments - 1) / segments; }
};

}  // namespace starling::pap
