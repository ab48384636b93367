// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How MPI begins and ends for a rank: the World is made, the engines run while anybody uses them, and what the program
// has not freed goes at the end.
// Thread safety: the holder of the context's lock. Invariants: Context::users counts MPI_Init without MPI_Finalize and
// the open sessions; Context::running is true while it is not 0. Source: MPI-5.0, chapters 11.2 to 11.4.
#pragma once

#include "mpi/boundary/context.hpp"

namespace starling::mpi {

/// MPI_Init. *level is the thread level that is asked for and then the one that is provided.
Status start_mpi(Context& context, int* level);
/// MPI_Finalize.
Status finish_mpi(Context& context);

/// What MPI_Init and each session begin and end with.
Status use_engines(Context& context, int* level);
Status leave_engines(Context& context);

}  // namespace starling::mpi
