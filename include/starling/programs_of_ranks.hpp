// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which program of the command line each rank of a communicator runs (mpiexec ./one : ./two), so that a dead rank is
// replaced by a process of its own program. Programs call what is in replace_dead.hpp; this header keeps the account.
//
// The communicators that join() and replace_dead() make have it as an attribute, which duplicates inherit. On others
// nobody can say it for the dead, so any program will do.
// Thread safety: that of MPI calls.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace starling::internal {

/// The program of each rank: its number on the command line (MPI_APPNUM), or kAnyProgram.
using Programs = std::vector<int>;
constexpr int kAnyProgram = -1;

inline int copy_programs(MPI_Comm, int, void*, void* value, void* copy, int* is_copied) {
  *static_cast<void**>(copy) = new Programs(*static_cast<Programs*>(value));
  *is_copied = 1;
  return MPI_SUCCESS;
}

inline int delete_programs(MPI_Comm, int, void* value, void*) {
  delete static_cast<Programs*>(value);
  return MPI_SUCCESS;
}

inline int programs_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(copy_programs, delete_programs, &made, nullptr);
    return made;
  }();
  return key;
}

inline Programs programs_of(MPI_Comm comm) {
  void* known = nullptr;
  int is_known = 0;
  MPI_Comm_get_attr(comm, programs_key(), static_cast<void*>(&known), &is_known);
  if (is_known != 0) return *static_cast<const Programs*>(known);
  int size = 0;
  MPI_Comm_size(comm, &size);
  return Programs(static_cast<std::size_t>(size), kAnyProgram);
}

inline void remember_programs(MPI_Comm comm, const Programs& programs) {
  MPI_Comm_set_attr(comm, programs_key(), new Programs(programs));
}

/// The ranks that no survivor has, those of one program together, programs in ascending order.
inline std::vector<int> missing_ranks(const std::vector<int>& survivors, const Programs& programs) {
  std::vector<int> missing;
  for (int rank = 0; rank < static_cast<int>(programs.size()); ++rank) {
    if (std::find(survivors.begin(), survivors.end(), rank) == survivors.end()) missing.push_back(rank);
  }
  const auto program = [&](int rank) { return programs[static_cast<std::size_t>(rank)]; };
  std::stable_sort(missing.begin(), missing.end(), [&](int a, int b) { return program(a) < program(b); });
  return missing;
}

}  // namespace starling::internal
