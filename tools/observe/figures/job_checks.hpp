// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What keeps a job slow, found in what was seen of it for some seconds: each check is a function of the evidence, and
// says nothing of a healthy job.
// Thread safety: value types, pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/figures/rank_figures.hpp"

namespace starling::observe {

/// What a rank has sent to another one, so far.
struct SentTo {
  std::int32_t rank = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// What was seen of a rank.
struct RankEvidence {
  std::int32_t rank = 0;
  std::size_t host = 0;  ///< index into JobEvidence::hosts
  std::optional<Since> since;
  RankFigures figures;         ///< of the whole time
  double running_threads = 0;  ///< on the average, those that run or want to
  std::uint64_t swapped_bytes = 0;
  std::size_t sockets_seen = 1;   ///< on the processors of so many sockets it has run
  std::size_t allowed = 0;        ///< hardware threads that it may use; 0: not known
  double moves_per_s = 0;         ///< from one processor to another, at least
  double test_share = 0;          ///< of the snapshots, in a row of tests that find nothing; 0 to 1
  std::string tests_with;         ///< "MPI_Test"
  std::size_t awaited_alone = 0;  ///< snapshots in which others waited for it, and for nobody else
  std::vector<SentTo> sent;       ///< to whom it has sent anything
};

/// A control group that limits processor time.
struct GroupEvidence {
  std::string folder;
  std::uint64_t periods = 0;    ///< of its quota, in the time of the evidence
  std::uint64_t throttled = 0;  ///< of them, in which its processes were stopped
  std::optional<double> cores;  ///< the quota
};

struct HostEvidence {
  std::string name;
  double cores = 1;                    ///< that the job may use: affinity and quota
  std::size_t sockets = 1;             ///< of the processors
  double swap_ins_per_s = 0;           ///< pages of all processes of the host
  double compaction_stalls_per_s = 0;  ///< a process was stopped until memory for a huge page was made
  std::string huge_pages;              ///< the setting: "always"
  std::vector<GroupEvidence> groups;
  bool lacks_sent = false;  ///< its ranks have sent to so many others that RankEvidence::sent was left out
};

struct JobEvidence {
  double seconds = 0;
  std::vector<RankEvidence> ranks;
  std::vector<HostEvidence> hosts;
  std::size_t snapshots = 0;
  std::size_t snapshots_with_waits = 0;  ///< in which a rank waited for another for at least 20 ms
};

struct JobFinding {
  const char* check;   ///< "threads"
  std::string text;    ///< what was seen
  std::string advice;  ///< what to do, whole sentences
};

/// All that was found, the gravest first.
[[nodiscard]] std::vector<JobFinding> check_job(const JobEvidence& evidence);

/// The names of all checks, for a job of which nothing was found.
[[nodiscard]] std::vector<const char*> names_of_checks();

}  // namespace starling::observe
