// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/interruption.hpp"

namespace starling::resilience {

void interrupt_collectives(world::World& world, comm::Communicator& comm, const Status& why) {
  const Ref<comm::Communicator>& local = comm.local();
  if (local) local->set_condition(comm.condition() & (comm::kRevoked | comm::kBroken));
  world.p2p().interrupt(comm.collective_context_id(), why);
  if (local) world.p2p().interrupt(local->collective_context_id(), why);
  world.collectives().interrupt(comm, why);
  if (local) world.collectives().interrupt(*local, why);
}

void interrupt_all(world::World& world, comm::Communicator& comm, const Status& why) {
  world.p2p().interrupt(comm.context_id(), why);
  world.p2p().interrupt(comm.partitioned_context_id(), why);
  interrupt_collectives(world, comm, why);
}

}  // namespace starling::resilience
