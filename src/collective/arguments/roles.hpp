// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The roles of ranks in a call with a root, on one group and between two. Thread safety: pure. Source: MPI-5.0, 6.2.3.
#pragma once

#include "collective/arguments/arguments.hpp"

namespace starling::collective {

/// Whether this rank is the root.
[[nodiscard]] inline bool at_root(const Arguments& a) noexcept {
  return a.comm->is_inter() ? a.root == kRootHere : a.comm->rank() == a.root;
}

/// Whether the call has nothing to do with this rank: it is in the root's group, and not the root.
[[nodiscard]] inline bool looks_on(const Arguments& a) noexcept {
  return rooted(a.operation) && a.comm->is_inter() && a.root == kRootElsewhere;
}

/// Whether the partner of an exchange is this rank itself.
[[nodiscard]] inline bool is_self(const Arguments& a, std::int32_t rank) noexcept {
  return !a.comm->is_inter() && a.comm->rank() == rank;
}

}  // namespace starling::collective
