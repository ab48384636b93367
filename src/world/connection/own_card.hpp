// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OwnCard: what this process offers to the others of a connection whose processes are on several nodes: entrances at
// which it listens, and the segment of its node if it is the first there. When the cards of all are known it joins.
// Thread safety: the holder of the world's lock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "bootstrap/nodes/rank_card.hpp"
#include "transport/tcp/proofs.hpp"
#include "world/connection/job_connections.hpp"

namespace starling::world {

class OwnCard {
 public:
  /// What is the same for all processes of the connection.
  struct Common {
    std::uint64_t id = 0;
    transport::tcp::Secret secret{};
    std::string alike;  ///< settings
  };

  /// node_leader: the place of the first process on this node. segment: null if that is another one.
  static Result<OwnCard> make(const config::Store& config, WorldRank node_leader,
                              std::unique_ptr<memory::JobSegment> segment);
  /// Of so many processes of this node.
  static Result<std::unique_ptr<memory::JobSegment>> make_segment(std::size_t processes, const config::Store& config);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// cards: of all, in the order of their places.
  Result<JobConnection*> join(JobConnections& connections, const config::Store& config,
                              const std::vector<bootstrap::RankCard>& cards, WorldRank place, const Common& common);

 private:
  std::vector<int> listeners_at(const std::vector<bootstrap::Entrance>& chosen);

  std::unique_ptr<memory::JobSegment> segment_;
  std::vector<bootstrap::Entrance> entrances_;
  std::vector<Descriptor> listeners_;
  std::string text_;
};

}  // namespace starling::world
