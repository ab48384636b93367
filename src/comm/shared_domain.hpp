// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SharedDomain: a segment of shared memory, and the processes that have it mapped: the ranks of a job on one node, or
// the processes of several jobs on one node that a connection joins. What needs shared memory (collective buffers,
// windows, shared file pointers) asks a communicator for its shared domain and does without where there is none.
//
// Thread safety: immutable. Invariant: every member can map the segment, so no member is on another node.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/id.hpp"
#include "base/ref.hpp"
#include "comm/group.hpp"
#include "memory/job_segment.hpp"

namespace starling::comm {

class SharedDomain final : public RefCounted<SharedDomain> {
 public:
  using Members = std::unordered_map<ProcessId, LocalRank>;

  SharedDomain(memory::JobSegment& segment, Members members) : segment_(segment), members_(std::move(members)) {}

  [[nodiscard]] memory::JobSegment& segment() const noexcept { return segment_; }
  [[nodiscard]] bool has(ProcessId process) const { return members_.contains(process); }
  /// Whether every process of the group is a member.
  [[nodiscard]] bool has_all(const Group& group) const {
    for (std::int32_t rank = 0; rank < group.size(); ++rank) {
      if (!has(group.process(rank))) return false;
    }
    return true;
  }
  /// The index of a member in the segment.
  [[nodiscard]] LocalRank local_rank(ProcessId process) const { return members_.at(process); }

 private:
  memory::JobSegment& segment_;
  Members members_;
};

}  // namespace starling::comm
