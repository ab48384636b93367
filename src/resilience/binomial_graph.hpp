// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The binomial graph: an overlay in which each of n members is linked with those at plus and minus the powers of two,
// modulo n. Its degree grows with 2 log2 n, its diameter with half of log2 n (a number below n is a sum of so many
// signed powers of two, the non-adjacent form), and it takes as many deaths as its degree, in just the wrong places, to
// cut a part of the survivors off.
//
// Thread safety: pure functions. Source: Angskun, Bosilca, Dongarra, "Binomial Graph: A Scalable and Fault-Tolerant
// Logical Network Topology", ISPA 2007.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace starling::resilience {

/// The members linked with `member`, in ascending order, each once.
[[nodiscard]] std::vector<std::int32_t> binomial_neighbors(std::int32_t member, std::int32_t members);

/// Whether the members for which `alive` holds still form one connected graph; no member and a single one do.
[[nodiscard]] bool binomial_graph_connects(std::int32_t members, const std::function<bool(std::int32_t)>& alive);

/// How many links apart members are, all alike: 0 and 0 where there is no pair.
struct Distances {
  std::int32_t longest = 0;  ///< the diameter
  double mean = 0;           ///< of a member to each other
};
[[nodiscard]] Distances binomial_graph_distances(std::int32_t members);

/// The parent of `member` in the binomial tree of `root`, whose edges are links of the graph; the root's is itself. The
/// tree is at most log2(members), rounded up, deep.
[[nodiscard]] std::int32_t binomial_tree_parent(std::int32_t member, std::int32_t root, std::int32_t members);

}  // namespace starling::resilience
