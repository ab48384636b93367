// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether what a collective call sends and what it receives lie in the same memory, which is erroneous without
// MPI_IN_PLACE.
//
// Compared are the vectors of a reduction, and of calls with blocks the one that a rank has for itself. Memory is
// shared when both are single stretches that meet, or when one datatype describes both from the same address on; types
// that are interleaved are not looked into. Calls on intercommunicators and among neighbours are not compared.
// Thread safety: pure. Source: MPI-5.0, 2.5.2 (arguments must not alias) and 6.2.
#pragma once

#include "base/status.hpp"
#include "collective/arguments/arguments.hpp"

namespace starling::mpi {

/// MPI_ERR_BUFFER when they do.
[[nodiscard]] Status check_apart(const collective::Arguments& arguments);
/// The same for the two vectors of MPI_Reduce_local.
[[nodiscard]] Status check_apart(const void* in, const void* inout, std::int64_t count, const datatype::Datatype& type);

}  // namespace starling::mpi
