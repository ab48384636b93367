// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Meeting: two groups tell each other who they are and find the shared domain in which they can live together: none
// when all are of one job, the one that they have in common, or a new one, for which all open a connection.
//
// Thread safety: the holder of the world's lock. Collective over both groups.
#pragma once

#include "world/communicators/leader_exchange.hpp"

namespace starling::world {

/// Who a group is.
struct Roster {
  std::uint64_t domain = 0;  ///< JobHeader::id of its communicator's domain; 0: none
  std::vector<ProcessId> members;

  static Roster of(World& world, const comm::Communicator& local);
  static Roster from(const Bridge::Words& words);
  [[nodiscard]] Bridge::Words words() const;
  [[nodiscard]] Ref<comm::Group> group(World& world) const;
};

struct Met {
  Roster ours;
  Roster theirs;
  Ref<comm::SharedDomain> domain;
  std::int32_t their_leader = 0;
  /// Whether our side takes what there is one of: the side whose first process comes first, of all of the machine.
  bool takes = false;
};

/// kComm when the groups overlap. `between` is in what the leaders talk; only they have to give it.
Result<Met> meet(World& world, Bridge& bridge, const comm::Communicator& local, const comm::Communicator* between);

}  // namespace starling::world
