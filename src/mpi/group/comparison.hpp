// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The MPI code of a comparison. Thread safety: no state.
#pragma once

#include <mpi.h>

#include "comm/group.hpp"

namespace starling::mpi {

[[nodiscard]] inline int comparison_code(comm::Comparison comparison) noexcept {
  switch (comparison) {
    case comm::Comparison::kIdentical: return MPI_IDENT;
    case comm::Comparison::kCongruent: return MPI_CONGRUENT;
    case comm::Comparison::kSimilar: return MPI_SIMILAR;
    case comm::Comparison::kUnequal: break;
  }
  return MPI_UNEQUAL;
}

}  // namespace starling::mpi
