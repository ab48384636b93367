// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The binomial graph: an overlay in which each of n members is linked with those at plus and minus the powers of two,
// modulo n. Its degree grows with 2 log2 n, its diameter with log2 n, and it takes as many deaths as its degree, in
// just the wrong places, to cut a part of the survivors off.
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

}  // namespace starling::resilience
