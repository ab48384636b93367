// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Checks on MPI_Status that many cases share.
#pragma once

#include "support/mpi_cases.hpp"

namespace starling::tests {

inline int bytes_of(const MPI_Status& status) {
  int bytes = -1;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return bytes;
}

inline bool is_cancelled(const MPI_Status& status) {
  int cancelled = -1;
  MPI_Test_cancelled(&status, &cancelled);
  return cancelled != 0;
}

/// The status of a message from `source` with `tag` and so many bytes.
inline bool describes(const MPI_Status& status, int source, int tag, int bytes) {
  return status.MPI_SOURCE == source && status.MPI_TAG == tag && bytes_of(status) == bytes && !is_cancelled(status);
}

/// The empty status of null and inactive requests (MPI-5.0, 3.7.3).
inline bool is_empty(const MPI_Status& status) { return describes(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0); }

/// A status that no call leaves like that, to see what a call sets.
inline MPI_Status unset_status() {
  MPI_Status status{};
  status.MPI_SOURCE = -77;
  status.MPI_TAG = -77;
  status.MPI_ERROR = -77;
  return status;
}

}  // namespace starling::tests
