// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Heat in a plate by finite elements: an unstructured mesh of triangles, and what the heat at a vertex does in a step.
//
// **Thread safety**: pure functions. **Invariants**: the same mesh and pieces on every process; the neighbours of a
// vertex are in the order of their numbers, so a step has the same bits whoever computes it.
#pragma once

#include <cstddef>
#include <vector>

namespace mesh {

/// Linear elements with lumped masses: row i has the neighbours of vertex i, and how well heat goes there.
struct Mesh {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<int> begin;  // of each row, and the end of the last
  std::vector<int> neighbour;
  std::vector<double> weight;
  std::vector<double> mass;
  std::vector<char> is_cold;  // on the edge of the plate, which is kept at 0
  double step = 0;            // in time

  int vertices() const { return static_cast<int>(x.size()); }
};

/// Of a square plate: side x side vertices that are shaken off their grid, each of whose cells is cut into two
/// triangles one way or the other.
Mesh shaken_mesh(int side);

/// What heat is there at first.
double first_heat(double x, double y);

/// A row with places in `heat` for neighbours.
struct Row {
  const int* neighbour;
  const double* weight;
  int count;
  double mass;
};
/// The heat at place `me` a step later. Where it is hot, the conductivity takes long to compute: so the work follows
/// the heat.
double next_heat(const Row& row, const double* heat, std::size_t me, double step);

/// The piece of each vertex: METIS divides the mesh so that few neighbours are in different ones.
std::vector<int> divided(const Mesh& mesh, int pieces);

}  // namespace mesh
