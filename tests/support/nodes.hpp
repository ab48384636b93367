// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the ranks of a job stand on several nodes, for cases that are to be refused there, or that need one node.
#pragma once

#include "support/mpi_cases.hpp"

namespace starling::tests {

/// Collective over the communicator: its ranks share no memory with each other.
inline bool spans_nodes(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0;
  int all = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_size(comm, &all);
  MPI_Comm_free(&node);
  return here != all;
}

}  // namespace starling::tests
