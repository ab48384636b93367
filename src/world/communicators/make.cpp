// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/make.hpp"

namespace starling::world {

Ref<comm::Communicator> make_intra(World& world, std::uint32_t context_id, Ref<comm::Group> group,
                                   const Ref<comm::ConnectedJobs>& jobs) {
  const std::int32_t rank = group->rank_of(world.process());
  comm::Communicator::Common common = world.common_of(jobs, {group.get()});
  return world.introduce(new comm::Communicator(context_id, std::move(group), rank, std::move(common)));
}

Ref<comm::Communicator> make_inter(World& world, ContextIdRange ids, Ref<comm::Group> local, Ref<comm::Group> remote,
                                   const Ref<comm::ConnectedJobs>& jobs) {
  comm::Communicator::Common common = world.common_of(jobs, {local.get(), remote.get()});
  Ref<comm::Communicator> own = make_intra(world, ids.at(1), std::move(local), jobs);
  return world.introduce(new comm::Communicator(ids.first, std::move(own), std::move(remote), std::move(common)));
}

}  // namespace starling::world
