// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SeenJob: a job of another MPI: the segment in which its ranks show what they do, who has come and gone, and which
// calls last. The ranks have no clock for their waits: a call that two looks have found is a wait, since the first of
// them (StatusCard::since_ns, which is written here).
//
// Thread safety: for single-threaded processes; the ranks write the segment meanwhile. Invariants: a rank clears its
// since_ns when its call ends. Where that meets the look that sets it, the next look clears it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "memory/job_segment.hpp"
#include "observe/join.hpp"

namespace starling::see {

class SeenJob {
 public:
  /// The segment for a job of so many ranks.
  static Result<std::unique_ptr<SeenJob>> create(const observe::JoinRequest& first, observe::TraceMode trace);

  /// A place for a rank; nothing: there is none of this number, or it is taken.
  [[nodiscard]] bool admit(const observe::JoinRequest& request, pid_t process, observe::JoinAnswer* answer);
  /// The rank has come through MPI_Finalize.
  void left(std::int32_t rank);
  /// Its process has ended. Whether it was in MPI until then.
  bool ended(std::int32_t rank);
  /// Nobody is in MPI any more.
  [[nodiscard]] bool is_over() const;

  /// Looks at all ranks for calls that last.
  void look(std::int64_t now_ns);

  [[nodiscard]] memory::JobSegment& segment() const noexcept { return *segment_; }

 private:
  /// What a rank was in at the last look.
  struct LastLook {
    std::uint64_t calls = 0;
    std::int64_t since_ns = 0;  ///< 0: it was in no call that waits
  };

  explicit SeenJob(std::unique_ptr<memory::JobSegment> segment)
      : segment_(std::move(segment)), looks_(segment_->ranks()) {}
  static void look_at(memory::RankBlock& block, LastLook& last, std::int64_t now_ns);
  [[nodiscard]] memory::RankBlock& block(std::int32_t rank) const { return segment_->rank(LocalRank(rank)); }

  std::unique_ptr<memory::JobSegment> segment_;
  std::vector<LastLook> looks_;
};

}  // namespace starling::see
