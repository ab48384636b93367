// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicators that a call gives when its request is complete (MPI_Comm_idup): C writes 8 bytes then, where the
// program has an integer. So C gets a place of ours, and what came there is handed to the program by the next call that
// completes requests. Thread safety: all of it.
#pragma once

#include <mpi.h>

#include <atomic>

namespace starling::fortran {

/// Where C may write what the program awaits in newcomm.
MPI_Comm* promise(int* newcomm);
/// Of a call that has failed.
void take_back(const MPI_Comm* promised);

extern std::atomic<int> promises;
void keep_promises();
/// Relaxed: whoever completes a request knows that it was begun.
inline void keep_any_promises() {
  if (promises.load(std::memory_order_relaxed) != 0) [[unlikely]]
    keep_promises();
}

}  // namespace starling::fortran
