// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The process sets that a session can ask for by name: mpi://WORLD and mpi://SELF of the standard, starling://node (the
// processes that share this node's memory), starling://node/<n> (those of each node, in the order in which the launcher
// has them) and starling://app/<n> (those of one application of an MPMD command line, by MPI_APPNUM).
// Thread safety: reads only. Invariants: the list is the same for as long as the World lives.
// Source: MPI-5.0, chapter 11.3.2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "world/world.hpp"

namespace starling::mpi {

[[nodiscard]] std::vector<std::string> process_set_names(const world::World& world);

/// A new group of the members; upper and lower case are alike. kArg when there is no set of this name.
[[nodiscard]] Result<Ref<comm::Group>> process_set(const world::World& world, std::string_view name);

}  // namespace starling::mpi
