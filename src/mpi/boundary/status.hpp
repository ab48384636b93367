// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an MPI_Status holds in its five internal integers: the bytes received (two of them) and whether it was
// cancelled. Thread safety: value types.
// Invariants: MPI_ERROR is written by calls that complete several requests (3.7.5), and in the empty status, which is
// defined with MPI_SUCCESS in it (3.7.3). All other calls leave it as it was (3.2.5).
// Source: MPI-5.0, chapters 3.2.5, 3.7.3, 3.7.5 and 20.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "p2p/request/request.hpp"

namespace starling::mpi {

inline void set_bytes(MPI_Status& status, std::int64_t bytes) noexcept {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}
[[nodiscard]] inline std::int64_t bytes_of(const MPI_Status& status) noexcept {
  std::int64_t bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}
inline void set_cancelled(MPI_Status& status, bool cancelled) noexcept { status.MPI_internal[2] = cancelled ? 1 : 0; }
[[nodiscard]] inline bool is_cancelled(const MPI_Status& status) noexcept { return status.MPI_internal[2] != 0; }

/// Writes all but MPI_ERROR; nothing for MPI_STATUS_IGNORE.
inline void write_status(MPI_Status* status, const p2p::Completion& completion) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = completion.source;
  status->MPI_TAG = completion.tag;
  set_bytes(*status, completion.bytes);
  set_cancelled(*status, completion.cancelled);
}

/// What a send, and whatever receives nothing, completes with.
inline constexpr p2p::Completion kEmptyCompletion{MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false};

/// The empty status: that of a null request, of an inactive one, and of no request at all.
inline void write_empty_status(MPI_Status* status) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  write_status(status, kEmptyCompletion);
  status->MPI_ERROR = MPI_SUCCESS;
}

/// The status of a receive from MPI_PROC_NULL.
inline constexpr p2p::Completion kProcNullCompletion{MPI_PROC_NULL, MPI_ANY_TAG, 0, false};

}  // namespace starling::mpi
