// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobConnections: the connections of one process to other jobs. Each has a range of context ids of its own in this
// process. Thread safety: the holder of the world's lock. Invariants: no two open connections have the same range; a
// range is used again as late as possible.
#pragma once

#include <memory>
#include <vector>

#include "config/config.hpp"
#include "world/connection/job_connection.hpp"

namespace starling::world {

class JobConnections {
 public:
  JobConnections(progress::Engine& progress, p2p::PointToPoint& p2p, bootstrap::Job& job, const config::Store& config)
      : progress_(progress), p2p_(p2p), job_(job), config_(config) {}

  /// A new segment with `places` places; this process has the first.
  Result<JobConnection*> make(std::uint32_t places);
  Result<JobConnection*> open(const bootstrap::SegmentAddress& address, LocalRank place);
  /// Of processes on several nodes.
  Result<JobConnection*> span(std::unique_ptr<memory::JobSegment> segment, JobConnection::Spread spread);

  /// Whether the peer belongs to a connection that this process has left.
  [[nodiscard]] bool has_let_go(PeerId peer) const noexcept;
  /// Closes the connections that no process needs any more.
  void close_finished();
  /// Tells every other process that this one leaves.
  void leave_all() noexcept {
    for (const Entry& entry : connections_) entry.connection->leave();
  }
  template <typename Function>
  void for_each(Function&& function) {
    for (const Entry& entry : connections_) function(*entry.connection);
  }
  [[nodiscard]] std::size_t size() const noexcept { return connections_.size(); }

 private:
  struct Entry {
    std::unique_ptr<JobConnection> connection;
    std::uint32_t range;
  };

  Result<JobConnection::Host> host();
  Result<JobConnection*> add(Result<std::unique_ptr<JobConnection>> connection, std::uint32_t range);

  progress::Engine& progress_;
  p2p::PointToPoint& p2p_;
  bootstrap::Job& job_;
  const config::Store& config_;
  std::vector<Entry> connections_;
  std::uint32_t last_range_ = 0;
};

}  // namespace starling::world
