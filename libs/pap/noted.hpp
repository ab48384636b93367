// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Notes a call that no channel watches, from its begin to its end.
//
// Thread safety: any thread may note.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "arrival/record/recorder.hpp"
#include "base/cycles.hpp"
#include "base/program_site.hpp"
#include "library.hpp"
#include "mpi/communicator.hpp"
#include "mpi/handle.hpp"
#include "operation.hpp"

#define STARLING_PAP_EXPORT extern "C" __attribute__((visibility("default")))
/// Where the program goes on after the call.
#define STARLING_PAP_SITE starling::program_site(__builtin_frame_address(0))

namespace starling::pap {

class Noted {
 public:
  /// `address` is where the program goes on; `count` is what this process brings, or takes where it brings nothing.
  Noted(const void* address, MPI_Comm comm, Operation operation, std::int64_t count)
      : timed_(library().recorder().begin(
            {address, any_mpi::bits_of(comm), name(operation), static_cast<std::uint64_t>(count > 0 ? count : 0)})) {}

 private:
  arrival::Timed<&cycles> timed_;
};

/// Of as many counts as there are ranks to exchange blocks with.
inline std::int64_t sum_of(const int* counts, MPI_Comm comm) {
  if (counts == nullptr || comm == MPI_COMM_NULL) return 0;
  int size = 0;
  if (any_mpi::is_intercommunicator(comm)) {
    if (PMPI_Comm_remote_size(comm, &size) != MPI_SUCCESS) return 0;
  } else {
    size = any_mpi::size_of(comm);
  }
  std::int64_t total = 0;
  for (int rank = 0; rank < size; ++rank) total += counts[rank];
  return total;
}

}  // namespace starling::pap
