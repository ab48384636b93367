// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MPI_Dims_create: a number of places split into dimensions as equal as possible.
// Thread safety: no state. Source: MPI-5.0, chapter 8.5.2.
#pragma once

#include <span>

#include "base/status.hpp"

namespace starling::mpi {

/// Replaces the zeros in dims, largest first, so that the product is `places`. kDims when the product of the others
/// does not divide it or one is negative.
Status balance_dims(int places, std::span<int> dims);

}  // namespace starling::mpi
