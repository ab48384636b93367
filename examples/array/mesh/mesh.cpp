// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.hpp"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>

namespace mesh {

namespace {

using Rows = std::vector<std::map<int, double>>;

/// The parts of one triangle in the rows and masses of its corners.
void add_triangle(Mesh& mesh, Rows& rows, const std::array<int, 3>& corners) {
  const auto at = [&](int i) { return static_cast<std::size_t>(corners[static_cast<std::size_t>(i % 3)]); };
  const double area2 = (mesh.x[at(1)] - mesh.x[at(0)]) * (mesh.y[at(2)] - mesh.y[at(0)]) -
                       (mesh.x[at(2)] - mesh.x[at(0)]) * (mesh.y[at(1)] - mesh.y[at(0)]);
  for (int i = 0; i < 3; ++i) {
    const std::size_t top = at(i);  // opposite to the edge from a to b
    const std::size_t a = at(i + 1);
    const std::size_t b = at(i + 2);
    const double dot =
        (mesh.x[a] - mesh.x[top]) * (mesh.x[b] - mesh.x[top]) + (mesh.y[a] - mesh.y[top]) * (mesh.y[b] - mesh.y[top]);
    const double half_cotangent = 0.5 * dot / area2;
    rows[a][static_cast<int>(b)] += half_cotangent;
    rows[b][static_cast<int>(a)] += half_cotangent;
    mesh.mass[top] += area2 / 6;
  }
}

/// By some rounds of Newton's method: cold matter conducts evenly, hot matter by a law that is not linear.
double conductivity(double heat) {
  constexpr double kHot = 0.05;
  constexpr int kRounds = 30;
  if (heat < kHot) return 1;
  double c = 1;
  for (int i = 0; i < kRounds; ++i) c -= (c * c * c + c - 2 - heat) / (3 * c * c + 1);
  return c;
}

}  // namespace

Mesh shaken_mesh(int side) {
  Mesh mesh;
  std::mt19937 chance(1);
  const auto shake = [&] { return (static_cast<double>(chance() % 1000) / 1000 - 0.5) * 0.5; };
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const bool is_edge = row == 0 || column == 0 || row == side - 1 || column == side - 1;
      const double by_x = shake();
      const double by_y = shake();
      mesh.x.push_back((column + (is_edge ? 0 : by_x)) / (side - 1));
      mesh.y.push_back((row + (is_edge ? 0 : by_y)) / (side - 1));
      mesh.is_cold.push_back(is_edge ? 1 : 0);
    }
  }
  mesh.mass.resize(mesh.x.size());
  Rows rows(mesh.x.size());
  for (int row = 0; row + 1 < side; ++row) {
    for (int column = 0; column + 1 < side; ++column) {
      const int a = row * side + column;
      const int b = a + 1;
      const int c = a + side + 1;
      const int d = a + side;
      const bool one_way = chance() % 2 == 0;
      add_triangle(mesh, rows, one_way ? std::array{a, b, c} : std::array{a, b, d});
      add_triangle(mesh, rows, one_way ? std::array{a, c, d} : std::array{b, c, d});
    }
  }
  double slowest = 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    mesh.begin.push_back(static_cast<int>(mesh.neighbour.size()));
    double sum = 0;
    for (const auto& [neighbour, weight] : rows[i]) {
      mesh.neighbour.push_back(neighbour);
      mesh.weight.push_back(weight);
      sum += std::abs(weight);
    }
    slowest = std::min(slowest, mesh.mass[i] / sum);
  }
  mesh.begin.push_back(static_cast<int>(mesh.neighbour.size()));
  mesh.step = 0.3 * slowest;
  return mesh;
}

double first_heat(double x, double y) { return std::hypot(x - 0.3, y - 0.3) < 0.2 ? 1 : 0; }

double next_heat(const Row& row, const double* heat, std::size_t me, double step) {
  double flow = 0;
  for (int i = 0; i < row.count; ++i) {
    const double there = heat[row.neighbour[i]];
    flow += row.weight[i] * conductivity(0.5 * (heat[me] + there)) * (there - heat[me]);
  }
  return heat[me] + step * flow / row.mass;
}

std::vector<int> divided(const Mesh& mesh, int pieces) {
  auto vertices = static_cast<idx_t>(mesh.vertices());
  idx_t constraints = 1;
  auto parts = static_cast<idx_t>(pieces);
  std::vector<idx_t> begin(mesh.begin.begin(), mesh.begin.end());
  std::vector<idx_t> neighbour(mesh.neighbour.begin(), mesh.neighbour.end());
  std::vector<idx_t> piece(mesh.x.size());
  if (parts == 1) return std::vector<int>(mesh.x.size());
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  idx_t cut = 0;
  const int outcome = METIS_PartGraphKway(&vertices, &constraints, begin.data(), neighbour.data(), nullptr, nullptr,
                                          nullptr, &parts, nullptr, nullptr, options, &cut, piece.data());
  if (outcome != METIS_OK) throw std::runtime_error("METIS cannot divide the mesh");
  return {piece.begin(), piece.end()};
}

}  // namespace mesh
