// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// GroupMembers, GroupPair: two groups that are to have communicators in common, as they tell each other who they are.
// Thread safety: value types; of a World the holder of its lock.
#pragma once

#include "world/communicators/leader_exchange.hpp"

namespace starling::world {

/// A group as every process names it.
struct GroupMembers {
  std::uint64_t connection = 0;  ///< JobHeader::id of the segment of its communicator's connection; 0: of one job
  bool is_on_one_node = true;    ///< its communicator has a shared domain
  std::vector<GlobalProcess> members;

  static GroupMembers of(World& world, const comm::Communicator& local);
  static GroupMembers from(const LeaderExchange::Words& words);
  [[nodiscard]] LeaderExchange::Words words() const;
  [[nodiscard]] Ref<comm::Group> group(World& world) const;
};

/// Both groups, as a process of one of them sees them.
struct GroupPair {
  GroupMembers ours;
  GroupMembers theirs;
  Ref<comm::ConnectedJobs> jobs;
  std::int32_t their_leader = 0;
  bool leaders_share_memory = true;
  /// Whether our group takes what both groups share (a segment, context ids): the group whose first process has the
  /// lower name.
  bool takes = false;
};

}  // namespace starling::world
