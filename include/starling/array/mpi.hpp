// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The one header of starling/array that includes <mpi.h>: it makes MPI_Comm a Communicator.
//
// **Thread safety**: types only.
#pragma once

#include <mpi.h>

#include <starling/array/communicator.hpp>

namespace starling::array::detail {

template <>
struct Mpi<void> {
  using Comm = MPI_Comm;
  static Comm null() { return MPI_COMM_NULL; }
};

}  // namespace starling::array::detail
