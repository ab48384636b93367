// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/run/arrival_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace starling::arrival {

std::vector<int> order_of_arrival(std::span<const Ticks> arrivals, int root) {
  std::vector<int> order(arrivals.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[static_cast<std::size_t>(root)]);
  std::sort(order.begin() + 1, order.end(), [&arrivals](int a, int b) {
    const auto when = [&arrivals](int rank) { return arrivals[static_cast<std::size_t>(rank)]; };
    return when(a) != when(b) ? when(a) < when(b) : a < b;
  });
  return order;
}

TreePlace::TreePlace(std::span<const int> order, int rank) {
  const int size = static_cast<int>(order.size());
  const int place = static_cast<int>(std::find(order.begin(), order.end(), rank) - order.begin());
  int mask = 1;
  while (mask < size && mask <= place) mask *= 2;
  if (place > 0) parent = order[static_cast<std::size_t>(place - mask / 2)];
  for (; place + mask < size; mask *= 2) children.push_back(order[static_cast<std::size_t>(place + mask)]);
}

}  // namespace starling::arrival
