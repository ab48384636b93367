// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether packed data fit between a position and the end of a buffer.
// Thread safety: no state. Source: MPI-5.0, chapter 5.2.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "base/format.hpp"
#include "base/status.hpp"

namespace starling::mpi {

/// `what` says what the buffer does with the bytes: "has room for" or "holds".
inline Status check_room(MPI_Count position, MPI_Count size, std::int64_t bytes, const char* what) {
  if (position < 0 || position > size) {
    return Status::error(ErrorClass::kArg,
                         formatted("position is {}, which is outside the buffer of {} bytes", position, size));
  }
  if (bytes > size - position) {
    return Status::error(
        ErrorClass::kTruncate,
        formatted("the data are {} bytes, but the buffer {} only {} from its position", bytes, what, size - position));
  }
  return {};
}

}  // namespace starling::mpi
