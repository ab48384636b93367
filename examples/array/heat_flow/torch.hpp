// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What is simulated: a plate, the unit square, cold and insulated, on which a torch draws a circle once. The torch
// gives heat as a Gaussian, whose integral over any square is known exactly: so is the heat on the plate at any time,
// whatever the mesh.
//
// **Thread safety**: pure functions.
#pragma once

#include <array>
#include <cmath>

namespace heat_flow {

constexpr int kCells = 16;  // a leaf has kCells * kCells cells
using Grid = std::array<double, kCells * kCells>;

constexpr double kTotalHeat = 0.15;  // that the torch gives in all
constexpr double kTorchWidth = 0.02;
constexpr double kPathRadius = 0.3;
/// Conductivity * dt / h^2 on the finest level; the scheme is stable up to 1/4.
constexpr double kCourant = 0.2;

/// What all leaves know.
struct Setup {
  int coarsest = 2;  // levels of the quadtree
  int finest = 5;
  int steps = 2000;            // of one turn of the torch
  double refine_above = 0.05;  // the difference of temperature between two cells side by side
  double coarsen_below = 0.022;
};

inline double heat_after(const Setup& setup, int steps) { return kTotalHeat * steps / setup.steps; }

/// The share of a Gaussian of the torch's width around 0 that lies between a and b.
inline double share_between(double a, double b) {
  const double scale = 1 / (kTorchWidth * std::sqrt(2.0));
  return 0.5 * (std::erf(b * scale) - std::erf(a * scale));
}

/// Adds what the torch gives in one step to the temperatures of a square with its lower left corner at (x, y).
inline void heat_up(Grid& cells, double x, double y, double size, const Setup& setup, int step) {
  const double angle = 2 * 3.14159265358979323846 * step / setup.steps;
  const double dx = x - (0.5 + kPathRadius * std::cos(angle));
  const double dy = y - (0.5 + kPathRadius * std::sin(angle));
  constexpr double kReach = 8.5 * kTorchWidth;  // beyond it lies less than 1e-15 of the heat
  if (dx > kReach || dx + size < -kReach || dy > kReach || dy + size < -kReach) return;
  const double h = size / kCells;
  std::array<double, kCells> across;
  std::array<double, kCells> up;
  for (int i = 0; i < kCells; ++i) {
    across[static_cast<std::size_t>(i)] = share_between(dx + i * h, dx + (i + 1) * h);
    up[static_cast<std::size_t>(i)] = share_between(dy + i * h, dy + (i + 1) * h);
  }
  const double rise = kTotalHeat / setup.steps / (h * h);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] += rise * up[i / kCells] * across[i % kCells];
}

}  // namespace heat_flow
