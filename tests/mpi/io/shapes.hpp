// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Filetypes with the list of bytes that they show, found by the constructors' definitions (MPI-5.0, 5.1): what a file
// view is compared with.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "mpi/io/scratch_file.hpp"

namespace starling::tests {

/// A datatype and its typemap in bytes. Copies share the handle, which keep_types() frees at the end.
struct Shape {
  MPI_Datatype type = MPI_BYTE;
  std::vector<MPI_Aint> bytes = {0};
  MPI_Aint lb = 0;
  MPI_Aint ub = 1;
  bool bounds_given = false;  ///< some part was resized, or is a subarray

  [[nodiscard]] MPI_Aint extent() const { return ub - lb; }
  [[nodiscard]] MPI_Aint first() const { return bytes.front(); }
  [[nodiscard]] MPI_Aint end() const { return bytes.back() + 1; }  ///< of a shape that ascends
  [[nodiscard]] MPI_Aint span() const { return end() - first(); }
  /// Where byte `position` of the data lies when the shape is tiled from 0 on.
  [[nodiscard]] MPI_Aint place(MPI_Offset position) const {
    const auto size = static_cast<MPI_Offset>(bytes.size());
    return position / size * extent() + bytes[static_cast<std::size_t>(position % size)];
  }
};

/// Makes shapes and frees their types.
class Shapes {
 public:
  Shapes() = default;
  ~Shapes() {
    for (MPI_Datatype& type : made_) MPI_Type_free(&type);
  }
  Shapes(const Shapes&) = delete;
  Shapes& operator=(const Shapes&) = delete;

  /// Each part at its displacement.
  Shape structure(const std::vector<Shape>& parts, const std::vector<MPI_Aint>& displacements) {
    std::vector<MPI_Datatype> types;
    for (const Shape& part : parts) types.push_back(part.type);
    const std::vector<int> ones(parts.size(), 1);
    Shape shape = join(parts, displacements);
    MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), displacements.data(), types.data(),
                           &shape.type);
    return keep(shape);
  }
  Shape contiguous(int count, const Shape& old) {
    Shape shape = join(std::vector<Shape>(static_cast<std::size_t>(count), old), steps(count, old.extent()));
    MPI_Type_contiguous(count, old.type, &shape.type);
    return keep(shape);
  }
  Shape hvector(int count, MPI_Aint stride, const Shape& old) {
    Shape shape = join(std::vector<Shape>(static_cast<std::size_t>(count), old), steps(count, stride));
    MPI_Type_create_hvector(count, 1, stride, old.type, &shape.type);
    return keep(shape);
  }
  Shape hindexed(const std::vector<MPI_Aint>& displacements, const Shape& old) {
    Shape shape = join(std::vector<Shape>(displacements.size(), old), displacements);
    const std::vector<int> ones(displacements.size(), 1);
    MPI_Type_create_hindexed(static_cast<int>(displacements.size()), ones.data(), displacements.data(), old.type,
                             &shape.type);
    return keep(shape);
  }
  Shape resized(MPI_Aint lb, MPI_Aint extent, const Shape& old) {
    Shape shape = old;
    shape.lb = lb;
    shape.ub = lb + extent;
    shape.bounds_given = true;
    MPI_Type_create_resized(old.type, lb, extent, &shape.type);
    return keep(shape);
  }
  /// Some rows and columns of a matrix of bytes.
  Shape part_of_matrix(const int (&sizes)[2], const int (&part)[2], const int (&starts)[2]) {
    Shape shape;
    shape.bytes.clear();
    for (int row = starts[0]; row < starts[0] + part[0]; ++row) {
      for (int column = starts[1]; column < starts[1] + part[1]; ++column) {
        shape.bytes.push_back(MPI_Aint{row} * sizes[1] + column);
      }
    }
    shape.ub = MPI_Aint{sizes[0]} * sizes[1];
    shape.bounds_given = true;
    MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_BYTE, &shape.type);
    return keep(shape);
  }

 private:
  static std::vector<MPI_Aint> steps(int count, MPI_Aint stride) {
    std::vector<MPI_Aint> places(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<MPI_Aint>(i) * stride;
    return places;
  }

  /// Bounds that were given anywhere hide the others.
  static Shape join(const std::vector<Shape>& parts, const std::vector<MPI_Aint>& displacements) {
    Shape shape;
    shape.bytes.clear();
    shape.bounds_given = std::any_of(parts.begin(), parts.end(), [](const Shape& part) { return part.bounds_given; });
    std::optional<MPI_Aint> lb;
    std::optional<MPI_Aint> ub;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const MPI_Aint byte : parts[i].bytes) shape.bytes.push_back(displacements[i] + byte);
      if (parts[i].bounds_given != shape.bounds_given) continue;
      lb = std::min(lb.value_or(displacements[i] + parts[i].lb), displacements[i] + parts[i].lb);
      ub = std::max(ub.value_or(displacements[i] + parts[i].ub), displacements[i] + parts[i].ub);
    }
    shape.lb = lb.value_or(0);
    shape.ub = ub.value_or(0);
    return shape;
  }
  Shape keep(const Shape& shape) {
    made_.push_back(shape.type);
    MPI_Type_commit(&made_.back());
    return shape;
  }

  std::vector<MPI_Datatype> made_;
};

}  // namespace starling::tests
