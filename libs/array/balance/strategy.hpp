// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the strategies share: the list of them, and the load of each process.
//
// **Thread safety**: pure functions. **Invariants**: those of starling/array/balance.hpp.
#pragma once

#include <starling/array/balance.hpp>

namespace starling::array::balancing {

using Moves = std::vector<Move>;

Moves none(const Problem& problem);
Moves greedy(const Problem& problem);
Moves refine(const Problem& problem);
Moves hierarchical(const Problem& problem);
Moves diffusion(const Problem& problem);
Moves rotate(const Problem& problem);
Moves graph(const Problem& problem);

/// Whether a process takes elements.
inline bool takes(const Problem& problem, int process) {
  return problem.vacated.empty() || !problem.vacated[static_cast<std::size_t>(process)];
}
/// The processes that take elements.
std::vector<int> takers(const Problem& problem);
/// The load of each process, where elements are or, with moves, will be.
std::vector<double> process_loads(const Problem& problem, const Moves& moves = {});
/// Of those that take elements.
double average_load(const Problem& problem);

}  // namespace starling::array::balancing
