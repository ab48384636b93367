// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How each process gets its part of the tree: rank 0 makes it, the root of the tree gets all of it, and every process
// sends each of its children that child's part. So only rank 0 needs a tree file.
//
// Thread safety: one thread, that may call MPI. Source: J. Squyres, journal of 21 April 2001, Implementation Details.
#pragma once

#include <mpi.h>

#include <functional>

#include "tree/tree.hpp"

namespace starling::farm {

/// Collective. make() is called at rank 0; where it throws, all throw std::runtime_error with its text.
Tree share_tree(MPI_Comm comm, const std::function<Tree()>& make);

}  // namespace starling::farm
