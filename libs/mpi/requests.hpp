// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Requests that lie apart, in the messages to which they belong: one wait for all of them, and how one is given up.
//
// **Thread safety**: as MPI has it: one thread at a time for a request. **Source**: MPI-5.0, 3.7.5 and 3.8.4.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace starling::any_mpi {

/// Waits until one of them is complete, and leaves that one as MPI_Waitany does: null, or still active where the error
/// does not complete it (a receive from any source, after a death). `which` is its place, or MPI_UNDEFINED where none
/// is active. Gives back the code of MPI, which is that of this request.
inline int wait_any(std::span<MPI_Request* const> requests, int& which, MPI_Status* status = MPI_STATUS_IGNORE) {
  std::vector<MPI_Request> row;
  row.reserve(requests.size());
  for (const MPI_Request* each : requests) row.push_back(*each);
  which = MPI_UNDEFINED;
  const int code = MPI_Waitany(static_cast<int>(row.size()), row.data(), &which, status);
  if (which == MPI_UNDEFINED) return code;
  const auto at = static_cast<std::size_t>(which);
  *requests[at] = row[at];
  return code;
}

/// Ends a receive that nobody may ever send to; whether a message came meanwhile does not matter.
inline void cancel(MPI_Request& request) {
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace starling::any_mpi
