// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Square: a node of the quadtree over the unit square, and its path from the root: two bits for each level, the first
// for up, the second for right. Sides are 0 left, 1 right, 2 down, 3 up; the other side of a border is side ^ 1.
//
// **Thread safety**: as values.
#pragma once

#include <starling/array.hpp>

namespace heat_flow {

constexpr int kSides = 4;

struct Square {
  int level = 0;
  int x = 0;  // from 0 to 2^level - 1, to the right
  int y = 0;  // upwards

  starling::array::BitString path() const {
    starling::array::BitString path;
    for (int bit = level; bit-- > 0;) path.push(static_cast<unsigned>(2 * (y >> bit & 1) + (x >> bit & 1)), 2);
    return path;
  }

  double size() const { return 1.0 / (1 << level); }
  /// Which child of its parent: 0 lower left, 1 lower right, 2 upper left, 3 upper right.
  int quadrant() const { return 2 * (y & 1) + (x & 1); }
  Square parent() const { return {level - 1, x >> 1, y >> 1}; }
  Square child(int quadrant) const { return {level + 1, 2 * x + (quadrant & 1), 2 * y + (quadrant >> 1)}; }

  /// The square of the same size beyond a side.
  Square beyond(int side) const {
    return {level, x + (side == 1 ? 1 : 0) - (side == 0 ? 1 : 0), y + (side == 3 ? 1 : 0) - (side == 2 ? 1 : 0)};
  }
  bool exists() const { return x >= 0 && y >= 0 && x < 1 << level && y < 1 << level; }
  /// In which half of its parent's side it lies: 0 the left or lower, 1 the right or upper.
  int half(int side) const { return (side < 2 ? y : x) & 1; }
  /// Whether a sibling is beyond the side.
  bool is_inner(int side) const { return (side < 2 ? x & 1 : y & 1) != (side & 1); }
};

/// The child that touches a half of its parent's side.
inline int quadrant_at(int side, int half) { return side < 2 ? 2 * half + (side & 1) : 2 * (side & 1) + half; }

}  // namespace heat_flow
