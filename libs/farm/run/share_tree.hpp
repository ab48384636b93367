// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How each process gets its part of the tree: rank 0 makes it, the root of the tree gets all of it, and every process
// sends each of its children that child's part. So only rank 0 needs a tree file.
//
// All of it is messages between two processes, since a collective call fails where a member is dead. Rank 0 makes the
// tree when it has a message of everybody: from then on nobody is in a collective call. A process waits for rank 0 and
// then for its parent, which sends all parts before it calculates. So no task can end a process that another waits for.
//
// Thread safety: one thread, that may call MPI. Source: J. Squyres, journal of 21 April 2001, Implementation Details.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tree/assignment.hpp"

namespace starling::farm {

struct Share {
  Tree tree;
  int root_of_spare = -1;  ///< This process is a spare, and this rank will call it; the tree is empty.
};

/// Collective. make(hosts) is called at rank 0, with the hosts of all ranks; where it throws, all throw
/// std::runtime_error with its text. The ranks behind those of the tree are spares.
Share share_tree(MPI_Comm comm, const std::string& host, const std::function<Tree(std::vector<std::string>)>& make);

/// What a spare is told at last: the place that it takes, or nothing when the run has ended; `end` is how. Throws
/// std::runtime_error if the root is dead.
std::optional<Assignment> wait_for_place(MPI_Comm comm, int root, RunEnd& end);

}  // namespace starling::farm
