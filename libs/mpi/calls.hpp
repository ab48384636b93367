// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The names under which a library calls MPI. Tools take the place of MPI_*: they see what a library above MPI does with
// its communicators as if it were the program's. A library that itself takes that place calls PMPI_*, or it would see
// its own calls. Calls that a tool cannot miss, such as for a rank, are PMPI_* in all of libs/mpi.
//
// **Thread safety**: constants. **Source**: MPI-5.0, 15.2 (profiling interface).
#pragma once

#include <mpi.h>

#define STARLING_ANY_MPI_CALLS(prefix)                   \
  static constexpr auto comm_dup = &prefix##_Comm_dup;   \
  static constexpr auto comm_free = &prefix##_Comm_free; \
  static constexpr auto gather = &prefix##_Gather;       \
  static constexpr auto gatherv = &prefix##_Gatherv

namespace starling::any_mpi {

/// For a library that programs call.
struct MpiCalls {
  STARLING_ANY_MPI_CALLS(MPI);
};

/// For a library that is preloaded below programs.
struct PmpiCalls {
  STARLING_ANY_MPI_CALLS(PMPI);
};

}  // namespace starling::any_mpi

#undef STARLING_ANY_MPI_CALLS
