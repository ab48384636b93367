// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A binomial tree in the order of arrival, down which data go from a root: a late process has nothing below it and
// keeps nobody waiting.
//
// Thread safety: value types.
#pragma once

#include <span>
#include <vector>

#include "arrival/schedule/pattern.hpp"

namespace starling::arrival {

/// The root first, the others as they are expected, ties by rank.
[[nodiscard]] std::vector<int> order_of_arrival(std::span<const Ticks> arrivals, int root);

/// One rank's place in the tree over such an order.
struct TreePlace {
  static constexpr int kNone = -1;

  int parent = kNone;
  std::vector<int> children;  ///< the nearest first: it has the most below it

  TreePlace(std::span<const int> order, int rank);
};

}  // namespace starling::arrival
