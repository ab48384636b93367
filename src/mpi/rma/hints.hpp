// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The hints of windows that act at once.
// Thread safety: the holder of the world's lock.
#pragma once

#include "base/status.hpp"
#include "mpi/boundary/context.hpp"

namespace starling::mpi {

/// Switches and places this rank's agent where the hints say so (starling_rma_agent, starling_rma_agent_core).
Status act_on_hints(Context& context, const Info& hints);

}  // namespace starling::mpi
