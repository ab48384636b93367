// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Spawned children for the cases: where their program is, how they are started and let go.
#pragma once

#include <string>
#include <vector>

#include "support/mpi_cases.hpp"

namespace starling::tests {

/// tests/mpi/spawn_child/child.cpp, which is built into the folder of this binary.
std::string child_program();

/// Collective over comm: a word that no other job, and no other node of this one, has.
std::string own_name(MPI_Comm comm);

/// Collective over comm; `words` become the child's arguments.
MPI_Comm spawn_children(MPI_Comm comm, int root, int count, const std::vector<std::string>& words, int* codes);

/// Children until the end of their scope, where both sides disconnect.
class Children {
 public:
  Children(MPI_Comm parents, int root, int count, const std::vector<std::string>& words,
           int* codes = MPI_ERRCODES_IGNORE)
      : comm(spawn_children(parents, root, count, words, codes)) {}
  ~Children() { MPI_Comm_disconnect(&comm); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  MPI_Comm comm;
};

int remote_size_of(MPI_Comm comm);

/// What the first child sends with tag 1.
std::string receive_text(MPI_Comm children);

}  // namespace starling::tests
