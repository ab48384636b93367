// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the strategies share: the list of them, and the load of each process.
//
// **Thread safety**: pure functions. **Invariants**: those of starling/array/balance.hpp.
#pragma once

#include <starling/array/balance.hpp>

namespace starling::array::balancing {

using Moves = std::vector<Move>;

/// The list of all strategies, a line each: the function, which is also the name that programs give, and what it looks
/// at. To add one, write the function into a file beside this one, and a line here.
#define STARLING_STRATEGIES(ROW) \
  ROW(none, kLoads)              \
  ROW(greedy, kLoads)            \
  ROW(refine, kLoads)            \
  ROW(hierarchical, kGroups)     \
  ROW(diffusion, kLoads)         \
  ROW(rotate, kLoads)            \
  ROW(graph, kLinks)

#define STARLING_DECLARE_STRATEGY(name, looks_at) Moves name(const Problem& problem);
STARLING_STRATEGIES(STARLING_DECLARE_STRATEGY)
#undef STARLING_DECLARE_STRATEGY

/// Whether the leaders of groups decide, where there are more processes than one group has. Throws as balance does.
bool by_groups(std::string_view strategy);

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
/// The process of each element, where it is or, with moves, will be; and the moves that lead there.
std::vector<int> places(const Problem& problem, const Moves& moves = {});
Moves moves_to(const Problem& problem, const std::vector<int>& at);
/// What a link or an anchor costs if its ends lie on two processes.
inline double cost_of(const Problem& problem, const auto& talk) {
  return talk.bytes * problem.cost_of_byte + talk.messages * problem.cost_of_message;
}
inline bool anybody_talks(const Problem& problem) { return !problem.links.empty() || !problem.anchors.empty(); }
/// The process that a graph partitioner gives each element, so that elements that talk much share one: parts of the
/// loads that processes are to have, named after the processes so that few elements move. Nothing where there is too
/// little to divide.
std::vector<int> partition(const Problem& problem);

}  // namespace starling::array::balancing
