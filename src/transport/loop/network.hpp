// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Network: joins nodes that are parts of one process, as a network joins machines: packets in order on each link,
// bounded, slow if asked, no memory in common. A test can break it: the links between two nodes, or those of one rank.
//
// Whoever starts the ranks as threads makes one Network for them; each rank's LoopTransport uses its own mailbox and
// posts into those of the others.
//
// Thread safety: any thread. Invariants: no call holds two mailboxes at once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "transport/loop/mailbox.hpp"
#include "transport/loop/settings.hpp"

namespace starling::transport::loop {

class Network {
 public:
  /// nodes: the ranks on each.
  static Result<std::unique_ptr<Network>> create(std::vector<std::vector<WorldRank>> nodes, const Settings& settings);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::int32_t ranks() const noexcept { return static_cast<std::int32_t>(mailboxes_.size()); }
  [[nodiscard]] Mailbox& mailbox(WorldRank rank) noexcept { return *mailboxes_[rank.index()]; }

  /// Breaks all links between two nodes; what is under way on them is lost.
  void cut(std::int32_t node, std::int32_t other);
  /// Breaks all links of a rank, as its death does; what it has sent before may still arrive.
  void kill(WorldRank rank);

  /// A rank ends: what it has sent and not flushed is lost, what comes to it is dropped.
  void leave(WorldRank rank);
  /// Wakes the ranks, as there is room for them now.
  void ring(const std::vector<WorldRank>& ranks);

 private:
  Network(std::vector<std::vector<WorldRank>> nodes, const Settings& settings)
      : settings_(settings), nodes_(std::move(nodes)) {}

  const Settings settings_;
  const std::vector<std::vector<WorldRank>> nodes_;
  std::vector<std::unique_ptr<Mailbox>> mailboxes_;  ///< by world rank
};

}  // namespace starling::transport::loop
