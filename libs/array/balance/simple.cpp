// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// none: only vacated processes lose their elements. rotate: every element moves on, which tests a program.
#include <algorithm>

#include "strategy.hpp"

namespace starling::array::balancing {

Moves none(const Problem& problem) {
  Moves moves;
  if (problem.vacated.empty()) return moves;
  const std::vector<int> to = takers(problem);
  if (to.empty()) return moves;
  std::vector<double> loads = process_loads(problem);
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
    const Problem::Element& each = problem.elements[i];
    if (each.is_fixed || takes(problem, each.process)) continue;
    const int least = *std::min_element(to.begin(), to.end(), [&](int a, int b) {
      return loads[static_cast<std::size_t>(a)] < loads[static_cast<std::size_t>(b)];
    });
    loads[static_cast<std::size_t>(least)] += each.load;
    moves.push_back({i, least});
  }
  return moves;
}

Moves rotate(const Problem& problem) {
  Moves moves;
  for (std::uint32_t i = 0; i < problem.elements.size(); ++i) {
    const Problem::Element& each = problem.elements[i];
    if (each.is_fixed) continue;
    for (int step = 1; step < problem.processes; ++step) {
      const int to = (each.process + step) % problem.processes;
      if (!takes(problem, to)) continue;
      moves.push_back({i, to});
      break;
    }
  }
  return moves;
}

}  // namespace starling::array::balancing
