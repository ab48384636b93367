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

#include <cstdint>

#include "base/status.hpp"
#include "collective/arguments/arguments.hpp"

namespace starling::mpi {

/// MPI_ERR_BUFFER when they do.
[[nodiscard]] Status check_apart(const collective::Arguments& arguments);
/// Whether the two vectors of MPI_Reduce_local do not.
[[nodiscard]] inline bool are_apart(const void* in, const void* inout, std::int64_t count,
                                    const datatype::Datatype& type) noexcept {
  const std::intptr_t apart = reinterpret_cast<std::intptr_t>(in) - reinterpret_cast<std::intptr_t>(inout);
  const std::int64_t bytes = count * type.size();
  const std::int64_t least = type.is_contiguous() ? bytes : static_cast<std::int64_t>(bytes > 0);
  return apart >= least || -apart >= least;
}

}  // namespace starling::mpi
