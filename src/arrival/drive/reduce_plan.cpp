// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/drive/reduce_plan.hpp"

#include <algorithm>
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

}  // namespace starling::arrival
