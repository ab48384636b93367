// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobExaminer: watches the ranks of a job on this machine for some seconds and gathers the evidence of what keeps it
// slow (observe/figures/job_checks.hpp).
// Thread safety: none. Invariants: the job does not notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "memory/job_segment.hpp"
#include "observe/figures/delay_count.hpp"
#include "observe/figures/job_checks.hpp"
#include "observe/job/host_reader.hpp"
#include "observe/job/job_reader.hpp"
#include "observe/job/job_sampler.hpp"

namespace starling::observe {

class JobExaminer {
 public:
  /// Begins to watch. The segment outlives it. root: in place of "/", for tests.
  JobExaminer(const memory::JobSegment& segment, pid_t worker, std::string root = "");

  /// A look, to be called often: pause_ns() apart.
  void look();
  [[nodiscard]] std::int64_t pause_ns() noexcept { return sampler_.pause_ns(); }

  /// What was seen since the beginning.
  [[nodiscard]] JobEvidence evidence();

 private:
  struct Followed {
    std::size_t running = 0;  ///< threads, over all counts of them
    std::set<int> sockets;    ///< on which it has run
    int processor = -1;       ///< on which it ran at the last count
    std::size_t moves = 0;    ///< counts that found it on another one
    std::size_t testing = 0;  ///< snapshots in a row of tests
    std::string tests_with;
  };

  void count_threads();
  void take_snapshot();
  [[nodiscard]] HostEvidence host_evidence() const;
  /// What the ranks have sent, where that is not too much.
  void add_sent(JobEvidence& evidence) const;
  [[nodiscard]] pid_t any_process() const;

  const memory::JobSegment& segment_;
  std::string root_;
  JobReader reader_;
  JobSampler sampler_;
  std::vector<int> sockets_;
  std::int64_t began_ns_;
  std::int64_t counted_ns_ = 0;   ///< threads, at the latest
  std::int64_t snapshot_ns_ = 0;  ///< the first look of the next snapshot
  std::vector<GroupReading> groups_;
  VmReading vm_;

  std::vector<Followed> followed_;  ///< by world rank
  std::size_t thread_counts_ = 0;
  std::size_t snapshots_ = 0;
  DelayCount delays_;
};

}  // namespace starling::observe
