// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Counts and Displs: read-only views of the count and displacement arrays of a call, whichever form the caller used;
// and to_int, which narrows a result for the int form.
//
// MPI_Alltoallv takes `const int*`, MPI_Alltoallv_c takes `const MPI_Count*` and `const MPI_Aint*`; a body is written
// once and sees one view. The view owns nothing and lives no longer than the call. Thread safety: a value type, no
// shared state. Invariants: at most one of the two pointers is set; a view with neither is "not given" (an ignored
// argument).
#pragma once

#include <mpi.h>

#include <limits>
#include <type_traits>

#include "base/counts.hpp"

namespace starling::mpi {

static_assert(std::is_same_v<MPI_Aint, MPI_Count>,
              "one wide view serves counts and addresses only if they are one type");

using starling::Counts;
using Displs = Counts;

/// A result for the int form of a call: MPI_UNDEFINED when it does not fit (MPI-5.0, 2.5.8 and 3.2.5).
[[nodiscard]] inline int to_int(MPI_Count value) noexcept {
  const bool fits = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  return fits ? static_cast<int>(value) : MPI_UNDEFINED;
}

}  // namespace starling::mpi
