// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SpanningConnection: opens a connection for two groups of several jobs whose processes are on several nodes. They do
// by themselves what a launcher does for a job: each opens entrances for the others, the first of each node makes a
// segment, all tell each other what they have, and compose the same job card of it. The processes of one job on one
// node are a node of the connection, so two jobs on one machine talk over the loopback device in it.
//
// The card's secret never passes a network in clear: each leader seals it with what its group knows
// (network/seal.hpp). Thread safety: the holder of the world's lock. Collective over both groups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "world/communicators/group_members.hpp"
#include "world/connection/own_card.hpp"

namespace starling::world {

class SpanningConnection {
 public:
  /// between: of the leaders; only they have to give it.
  SpanningConnection(World& world, LeaderExchange& exchange, const GroupPair& groups, comm::Communicator& local,
                     const comm::Communicator* between);

  Result<JobConnection*> open();

  /// All processes in order of their places.
  [[nodiscard]] static std::vector<GlobalProcess> by_place(const GroupPair& groups);

 private:
  [[nodiscard]] WorldRank place_of(std::int32_t rank_in_group) const noexcept;
  /// The ranks of the group that are on this node.
  Result<std::vector<std::int32_t>> find_node();
  /// here: what find_node() has found.
  Result<OwnCard> prepare(const std::vector<std::int32_t>& here);
  /// What all processes have, in order of their places.
  Result<std::vector<bootstrap::RankCard>> exchange_cards(const std::string& own);
  Result<OwnCard::Common> agree_on_common();
  Result<transport::tcp::Secret> share_secret();
  Result<transport::tcp::Secret> secret_of_leaders();

  World& world_;
  LeaderExchange& exchange_;
  const GroupPair& groups_;
  comm::Communicator& local_;
  const comm::Communicator* between_;
};

}  // namespace starling::world
