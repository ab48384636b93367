// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What every MPI grants. Without <mpi.h>, for sources that are compiled once for all.
//
// **Thread safety**: constants. **Source**: MPI-5.0, 9.1.2.
#pragma once

namespace starling::any_mpi {

inline constexpr int kLargestTag = 32767;

}  // namespace starling::any_mpi
