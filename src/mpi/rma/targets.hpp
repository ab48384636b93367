// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the calls on windows check beside what the boundary has checked.
// Thread safety: the holder of the world's lock.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "mpi/boundary/fail.hpp"
#include "mpi/rma/win_object.hpp"

namespace starling::mpi {

/// Notes MPI_ERR_RANK.
[[gnu::cold]] int refuse_target(const rma::Window& window, int rank, const char* name);

/// A rank of the window's group, or MPI_PROC_NULL.
[[nodiscard]] inline int check_target(const rma::Window& window, int rank, const char* name) {
  const auto size = static_cast<std::uint32_t>(window.comm().size());
  if (static_cast<std::uint32_t>(rank) < size || rank == MPI_PROC_NULL) [[likely]]
    return MPI_SUCCESS;
  return refuse_target(window, rank, name);
}

}  // namespace starling::mpi
