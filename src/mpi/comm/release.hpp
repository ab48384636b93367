// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The end of a communicator's handle.
// Thread safety: the holder of the world's lock.
#pragma once

#include "mpi/boundary/context.hpp"

namespace starling::mpi {

/// Lets what is in its send buffer leave, and gives up the handle.
void release_comm(Context& context, CommObject& comm);

}  // namespace starling::mpi
