// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobSampler: follows the ranks of a job that run on this machine, for their figures. It looks at their cards many
// times a second, which tells how much of their time they are in MPI, and reads their counts and /proc now and then.
//
// Thread safety: none. Invariants: writes nothing into the segment; the ranks do nothing for it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "memory/job_segment.hpp"
#include "observe/figures/rank_figures.hpp"
#include "observe/figures/rank_table.hpp"

namespace starling::observe {

class JobSampler {
 public:
  /// The segment outlives it. window: of so many readings the looks count for the share of time in MPI.
  explicit JobSampler(const memory::JobSegment& segment, std::size_t window = 4);

  /// Looks at all cards. To be called often: pause_ns() apart.
  void look();
  /// For how long to wait for the next look: 20 ms on the average, without a rhythm that the program might have, too.
  [[nodiscard]] std::int64_t pause_ns() noexcept;

  /// Reads the counts of all ranks. From the second call on there are figures.
  void read();

  // By world rank; ranks on other hosts have none.
  /// Of the time between the last two readings, but the share of time in MPI, which is of the window.
  [[nodiscard]] std::vector<RankFigures> figures() const;
  /// For how long each rank has been in its call, or outside MPI, as far as looks tell.
  [[nodiscard]] std::vector<std::optional<Since>> since() const;

 private:
  struct Watched {
    std::int32_t rank = 0;  ///< its world rank
    std::uint32_t call = 0;
    std::uint64_t calls = 0;
    std::int64_t since_ns = 0;    ///< of the first look that found it so
    bool has_changed = false;     ///< was found otherwise before
    std::deque<CallLooks> looks;  ///< since each of the last readings
    RankReading before;
    RankReading last;
  };

  [[nodiscard]] RankReading reading_of(LocalRank rank) const;

  const memory::JobSegment& segment_;
  std::size_t window_;
  std::size_t readings_ = 0;
  std::uint32_t random_ = 1;
  std::vector<Watched> watched_;  ///< by local rank
};

}  // namespace starling::observe
