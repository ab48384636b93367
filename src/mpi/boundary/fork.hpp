// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The children that a program forks after MPI_Init: they are no ranks, and MPI is over in them.
//
// Only fork() is noticed: vfork, posix_spawn, system and popen run another program and cost nothing, and a bare clone()
// goes unnoticed. Thread safety: any thread.
#pragma once

namespace starling::mpi {

/// From now on the process is this rank's, and its forked children are not; `in_child` runs in each of them. Of several
/// ranks the first counts.
void watch_forks(int rank, void (*in_child)());

/// The rank that has forked this process; negative when it is no such child.
[[nodiscard]] int forked_from() noexcept;

}  // namespace starling::mpi
