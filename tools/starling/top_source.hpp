// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TopSource: what starling top shows of a job, read anew at each refresh: of a job on this machine directly, of one on
// several hosts through its mpiexec, which is asked in the background.
// Thread safety: none; the questions are asked by a thread of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "observe/figures/job_checks.hpp"
#include "observe/figures/rank_table.hpp"
#include "observe/job/found_job.hpp"
#include "observe/job/job_reader.hpp"
#include "observe/job/job_sampler.hpp"

namespace starling::tools {

class TopSource {
 public:
  enum class Wait : std::uint8_t { kNo, kForAnswers };

  /// Looks for the first time. The job outlives it. interval_ns: between refreshes.
  TopSource(const observe::FoundJob& job, std::int64_t interval_ns);

  /// A look at the ranks between two refreshes, which counts for the share of time in MPI. To be called pause_ns()
  /// apart.
  void look();
  [[nodiscard]] std::int64_t pause_ns();

  /// False: the job has ended. Over hosts it shows the latest answers, or waits for them.
  bool refresh(Wait wait);

  // As the last refresh found it.
  [[nodiscard]] std::string title() const;
  [[nodiscard]] const std::string& sentence() const noexcept { return sentence_; }
  [[nodiscard]] const std::vector<observe::RankRow>& rows() const noexcept { return rows_; }

  /// Who has sent how much to whom.
  [[nodiscard]] std::vector<std::string> matrix_lines(std::size_t columns, std::size_t lines) const;
  [[nodiscard]] const observe::FoundJob& job() const noexcept { return job_; }

 private:
  /// Of a job on this machine.
  struct Here {
    explicit Here(const observe::FoundJob& job) : reader(*job.segment, job.worker), sampler(*job.segment) {}

    observe::JobReader reader;
    observe::JobSampler sampler;
    std::int64_t first_look_ns = 0;  ///< of the reader
  };
  /// What the hosts have answered.
  struct Answered {
    observe::Snapshot snapshot;
    observe::JobEvidence evidence;
    std::string problem;  ///< a sentence
  };

  static Answered ask_hosts(const observe::FoundJob& job, std::int64_t interval_ns);
  void refresh_here();
  void show(const Answered& answered);
  void say(const observe::Snapshot& snapshot, const std::string& problem);

  const observe::FoundJob& job_;
  std::int64_t interval_ns_;
  std::int64_t started_ns_ = now_ns();
  std::unique_ptr<Here> here_;     ///< null: over hosts
  std::future<Answered> answers_;  ///< over hosts: those that are under way
  std::string sentence_ = "asking the hosts ...";
  std::vector<observe::RankRow> rows_;
  observe::JobEvidence evidence_;  ///< over hosts: the latest
};

}  // namespace starling::tools
