// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NodeNumbers: on which nodes the processes of a communicator are. Where it connects jobs these are the nodes of the
// connection, on each of which are processes of one job; else those of this job.
// Thread safety: immutable; the communicator and the placement outlive it.
#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "memory/placement.hpp"

namespace starling::comm {

class NodeNumbers {
 public:
  /// placement: of this job.
  NodeNumbers(const Communicator& comm, const memory::Placement& placement) noexcept
      : jobs_(comm.connected_jobs().get()), placement_(placement) {}

  [[nodiscard]] std::int32_t count() const noexcept {
    return jobs_ != nullptr ? jobs_->nodes().count : placement_.nodes();
  }
  /// That of this process.
  [[nodiscard]] std::int32_t own() const noexcept {
    return jobs_ != nullptr ? jobs_->nodes().own : placement_.own_node();
  }
  /// That of a member.
  [[nodiscard]] std::int32_t of(ProcessId process) const {
    // Where all are of this job its groups name processes by their world ranks.
    return jobs_ != nullptr ? jobs_->node_of(process) : placement_.node_of(WorldRank(process.value));
  }
  /// That the ranks on a node may use: where jobs are connected, what they may on any of the nodes.
  [[nodiscard]] std::int32_t usable_cores(std::int32_t node) const noexcept {
    return jobs_ != nullptr ? jobs_->nodes().fewest_cores : placement_.node(node).usable_cores;
  }

 private:
  const ConnectedJobs* jobs_;
  const memory::Placement& placement_;
};

}  // namespace starling::comm
