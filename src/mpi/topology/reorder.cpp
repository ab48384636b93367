// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/topology/reorder.hpp"

#include "comm/node_numbers.hpp"
#include "world/communicators/division.hpp"

namespace starling::mpi {

Result<std::vector<topology::Locality>> localities(Context& context, comm::Communicator& comm) {
  const topology::Locality mine = topology::locality();
  std::vector<topology::Locality> all(static_cast<std::size_t>(comm.addressed_size()));
  STARLING_TRY(context.collectives->allgather(comm, &mine, all.data(), sizeof mine));
  if (comm.shared_domain() != nullptr) return all;
  const comm::NodeNumbers nodes(comm, context.world->placement());
  const comm::Group& addressed = comm.is_inter() ? *comm.remote_group() : *comm.group();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    all[rank].node = nodes.of(addressed.process(static_cast<std::int32_t>(rank)));
  }
  return all;
}

Result<std::int32_t> reordered_rank(Context& context, comm::Communicator& comm, std::size_t places,
                                    std::span<const topology::Edge> edges) {
  Result<std::vector<topology::Locality>> all = localities(context, comm);
  if (!all.ok()) return std::move(all).status();
  const auto rank = static_cast<std::size_t>(comm.rank());
  if (rank >= places) return world::kNoColor;
  return topology::place_processes(std::span(all.value()).first(places), edges)[rank];
}

}  // namespace starling::mpi
