// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// From the edges that the processes of a communicator name to the neighbours of each: edges travel as records, one for
// each end, to the process that has the vertex.
// Thread safety: the holder of the world's lock. Collective over the communicator. Source: MPI-5.0, 8.5.4.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/boundary/context.hpp"
#include "mpi/topology/topologies.hpp"

namespace starling::mpi {

/// One end of an edge.
struct EdgeEnd {
  enum Side : std::int32_t { kSource, kDestination };

  std::int32_t vertex = 0;
  Side side = kSource;     ///< what `other` is to the vertex
  std::int32_t other = 0;  ///< the vertex at the other end
  std::int32_t weight = 1;
};

/// The edge ends of this process's vertex among those that all processes named: in order of the process that named
/// them, and of each process in its order.
Result<std::vector<EdgeEnd>> bring_home(Context& context, comm::Communicator& comm, const std::vector<EdgeEnd>& named);

/// Everybody's, in order of rank.
Result<std::vector<EdgeEnd>> gather_everywhere(Context& context, comm::Communicator& comm,
                                               const std::vector<EdgeEnd>& named);

/// The neighbours of a vertex.
[[nodiscard]] std::shared_ptr<const DistGraphTopology> neighborhood(const std::vector<EdgeEnd>& ends,
                                                                    std::int32_t vertex, bool weighted);

}  // namespace starling::mpi
