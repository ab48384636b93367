// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a new communicator with a topology: as they were, or, where the program allows it, placed so that
// neighbours are near each other in the machine.
// Thread safety: the holder of the world's lock. Collective over the communicator.
#pragma once

#include <span>
#include <vector>

#include "mpi/boundary/context.hpp"
#include "topology/locality.hpp"
#include "topology/placement.hpp"

namespace starling::mpi {

/// What every process of the communicator knows of its place in the machine; of an intercommunicator those of the other
/// group.
Result<std::vector<topology::Locality>> localities(Context& context, comm::Communicator& comm);

/// The rank of this process in a topology of `places` places with these edges; kNoColor where it gets none.
Result<std::int32_t> reordered_rank(Context& context, comm::Communicator& comm, std::size_t places,
                                    std::span<const topology::Edge> edges);

}  // namespace starling::mpi
