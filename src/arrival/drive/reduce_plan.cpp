// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/drive/reduce_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "arrival/methods/generate.hpp"

namespace starling::arrival {

Result<ReducePlan> plan_reduce(std::span<const Ticks> arrivals, const Slicing& slicing, int count, int root, int rank) {
  const int segments = std::clamp(slicing.segments, 1, std::max(1, count));
  const Pattern pattern{arrivals, root, segments, slicing.round_length, RootRole::kOnlyTakes};
  Result<std::vector<Step>> steps = make_steps(pattern, rank);
  if (!steps.ok()) return std::move(steps).status();
  return ReducePlan{{count, segments}, std::move(steps).value()};
}

int earliest(std::span<const Ticks> arrivals) {
  return static_cast<int>(std::min_element(arrivals.begin(), arrivals.end()) - arrivals.begin());
}

std::vector<std::int32_t> last_ones(std::span<const Ticks> arrivals, Ticks margin, std::size_t most) {
  const auto arrival = [&](std::int32_t rank) { return arrivals[static_cast<std::size_t>(rank)]; };
  std::vector<std::int32_t> order(arrivals.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return arrival(a) < arrival(b); });
  auto first = order.end() - 1;
  while (first != order.begin() && static_cast<std::size_t>(order.end() - first) < most &&
         arrival(order.back()) - arrival(*(first - 1)) < margin) {
    --first;
  }
  return {first, order.end()};
}

}  // namespace starling::arrival
