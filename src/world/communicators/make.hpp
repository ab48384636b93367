// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How every constructor of communicators ends: all members know the context ids, and each makes its own object. Local.
//
// Thread safety: the holder of the world's lock.
#pragma once

#include "world/communicators/context_ids.hpp"

namespace starling::world {

/// An intracommunicator of the group, which holds this process. jobs: of the communicator that it is made from.
Ref<comm::Communicator> make_intra(World& world, std::uint32_t context_id, Ref<comm::Group> group,
                                   const Ref<comm::ConnectedJobs>& jobs);

/// Context ids of an intercommunicator: its own, and that of its local intracommunicator.
inline constexpr std::uint32_t kIdsOfInter = 2;
/// ids: the first two are for this one.
Ref<comm::Communicator> make_inter(World& world, ContextIdRange ids, Ref<comm::Group> local, Ref<comm::Group> remote,
                                   const Ref<comm::ConnectedJobs>& jobs);

}  // namespace starling::world
