// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobReader: makes a Snapshot of a running job, by two looks at the status cards in its segment. The ranks do nothing
// for it and notice nothing.
//
// Who may wait calls look(). Who may not calls begin(), then look_again() each kBetweenLooksNs until that returns true
// or its patience is over, and then snapshot().
// Thread safety: none. Invariants: writes nothing into the segment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/job_segment.hpp"
#include "observe/card_sample.hpp"
#include "observe/job/process_state.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

class JobReader {
 public:
  /// worker: the parent of the ranks, to tell which of them have ended before MPI_Init; 0: not known.
  JobReader(const memory::JobSegment& segment, pid_t worker) : segment_(segment), worker_(worker) {}

  static constexpr std::int64_t kBetweenLooksNs = 20'000'000;

  /// Looks twice, at least 20 ms apart and at most patience_ns: until all that wait were quiet meanwhile.
  [[nodiscard]] Snapshot look(std::int64_t patience_ns);
  /// One look only, which proves nothing: who seems to wait may just have begun another wait.
  [[nodiscard]] Snapshot glance();

  /// The first look.
  void begin() { first_ = sample_all(); }
  /// Another one, in place of the last but the first. Whether all that wait were quiet since the first.
  bool look_again();
  /// What the first look and the last one tell.
  [[nodiscard]] Snapshot snapshot() const;

 private:
  struct Sample {
    memory::RankState state = memory::RankState::kStarting;
    CardSample card;
    std::int64_t at_ns = 0;
    std::optional<ProcessorUse> use;  ///< of a rank that tests
  };
  using Samples = std::vector<Sample>;

  [[nodiscard]] Samples sample_all() const;
  [[nodiscard]] bool all_quiet() const;
  [[nodiscard]] Activity activity_of(const Sample& first, const Sample& second) const;
  [[nodiscard]] bool other_thread_runs(LocalRank rank, const RankSnapshot& snapshot, const CardSample& card) const;
  [[nodiscard]] bool somebody_stopped(LocalRank rank, const RankSnapshot& snapshot) const;
  [[nodiscard]] RankSnapshot rank_snapshot(LocalRank rank, const Sample& first, const Sample& second) const;
  /// The call of a rank in a row of tests: between two of them it is outside.
  [[nodiscard]] std::string test_call(LocalRank rank) const;
  void add_communicators(Snapshot& snapshot) const;
  [[nodiscard]] std::vector<bool> started_ranks() const;

  const memory::JobSegment& segment_;
  pid_t worker_;
  Samples first_;
  Samples last_;
  bool glances_ = false;  ///< at the cards only
};

}  // namespace starling::observe
