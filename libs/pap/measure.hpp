// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost model of a communicator: what a message costs, and what a byte of it.
//
// Thread safety: collective over the communicator.
#pragma once

#include <mpi.h>

#include "arrival/predict/cost.hpp"

namespace starling::pap {

/// All neighbours exchange short and long messages at once; every rank gets the same answer, of the slowest pair. Takes
/// a few milliseconds on a slow network. Returns an MPI error code.
int measure_link(MPI_Comm comm, arrival::Link* link);

}  // namespace starling::pap
