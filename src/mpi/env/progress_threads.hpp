// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The thread that makes progress for a rank that computes: for everything (STARLING_PROGRESS_THREAD), from the rank's
// start to its end; or for ranks of other nodes alone, while there is a window that spans nodes (STARLING_RMA_AGENT).
// Thread safety: the holder of the world's lock, which ending a thread gives up for a moment.
#pragma once

#include "mpi/boundary/context.hpp"

namespace starling::mpi {

/// For everything. The world's lock is on.
void start_progress_thread(Context& context);
/// Within a call, whose lock, where it has one, the thread may be waiting for.
void end_progress_thread(Context& context);

/// Starts, moves or ends the thread that serves ranks of other nodes, as the rank's windows and its agent's mode ask
/// for. Part of a call that may turn the world's lock on, or has it.
void update_far_service(Context& context);

}  // namespace starling::mpi
