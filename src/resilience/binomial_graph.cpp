// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/binomial_graph.hpp"

#include <algorithm>
#include <bit>

namespace starling::resilience {

std::vector<std::int32_t> binomial_neighbors(std::int32_t member, std::int32_t members) {
  std::vector<std::int32_t> linked;
  for (std::int64_t step = 1; step < members; step *= 2) {
    const auto distance = static_cast<std::int32_t>(step);
    linked.push_back(static_cast<std::int32_t>((std::int64_t{member} + distance) % members));
    linked.push_back(static_cast<std::int32_t>((std::int64_t{member} - distance + members) % members));
  }
  std::sort(linked.begin(), linked.end());
  linked.erase(std::unique(linked.begin(), linked.end()), linked.end());
  return linked;
}

bool binomial_graph_connects(std::int32_t members, const std::function<bool(std::int32_t)>& alive) {
  std::vector<bool> unseen(static_cast<std::size_t>(members));
  std::int32_t left = 0;
  std::int32_t first = -1;
  for (std::int32_t member = 0; member < members; ++member) {
    if (!alive(member)) continue;
    unseen[static_cast<std::size_t>(member)] = true;
    first = member;
    ++left;
  }
  if (left == 0) return true;
  std::vector<std::int32_t> open{first};
  unseen[static_cast<std::size_t>(first)] = false;
  while (!open.empty()) {
    const std::int32_t member = open.back();
    open.pop_back();
    --left;
    for (const std::int32_t linked : binomial_neighbors(member, members)) {
      if (!unseen[static_cast<std::size_t>(linked)]) continue;
      unseen[static_cast<std::size_t>(linked)] = false;
      open.push_back(linked);
    }
  }
  return left == 0;
}

Distances binomial_graph_distances(std::int32_t members) {
  // From member 0; links of each member are at the same distances.
  const std::vector<std::int32_t> steps = binomial_neighbors(0, members);
  std::vector<std::int32_t> apart(static_cast<std::size_t>(std::max(members, 1)), -1);
  apart[0] = 0;
  std::vector<std::int32_t> reached{0};
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::int32_t here = apart[static_cast<std::size_t>(reached[i])];
    sum += here;
    for (const std::int32_t step : steps) {
      const auto other = static_cast<std::int32_t>((std::int64_t{reached[i]} + step) % members);
      if (apart[static_cast<std::size_t>(other)] >= 0) continue;
      apart[static_cast<std::size_t>(other)] = here + 1;
      reached.push_back(other);
    }
  }
  if (members < 2) return {};
  return {apart[static_cast<std::size_t>(reached.back())], static_cast<double>(sum) / (members - 1)};
}

std::int32_t binomial_tree_parent(std::int32_t member, std::int32_t root, std::int32_t members) {
  const auto from_root = static_cast<std::uint32_t>((std::int64_t{member} - root + members) % members);
  // Without the highest power of two of its distance.
  const auto above = std::int64_t{from_root - std::bit_floor(from_root)};
  return static_cast<std::int32_t>((root + above) % members);
}

}  // namespace starling::resilience
