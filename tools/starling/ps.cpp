// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling ps: the jobs that run on this machine, and whether they get on.
#include <cstdio>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "job_look.hpp"
#include "observe/analysis/diagnosis.hpp"
#include "observe/analysis/sentences.hpp"
#include "observe/job/found_job.hpp"
#include "observe/model/words.hpp"

namespace starling::tools {
namespace {

/// "rank 3, 41 s in MPI_Recv with tag 7": who waits longest.
std::string longest_wait(const observe::Snapshot& snapshot) {
  std::int32_t longest = -1;
  for (std::int32_t rank = 0; static_cast<std::size_t>(rank) < snapshot.ranks.size(); ++rank) {
    const observe::RankSnapshot& each = snapshot.rank(rank);
    if (each.activity != observe::Activity::kWaiting || !each.time_ns) continue;
    if (longest < 0 || *each.time_ns > *snapshot.rank(longest).time_ns) longest = rank;
  }
  if (longest < 0) return "nobody";
  return formatted("rank {}, {} in {}", longest, observe::duration_text(*snapshot.rank(longest).time_ns),
                   observe::wait_text(snapshot, longest));
}

void print_job(const observe::FoundJob& job) {
  constexpr std::int64_t kPatienceNs = 50'000'000;
  const std::string age = observe::duration_text(job.age_ns);
  const bool is_part = job.kind == observe::JobKind::kPart;
  if (!job.refusal.empty()) {
    const std::string ranks = job.segment != nullptr ? formatted("{}", job.segment->ranks()) : "?";
    std::puts(
        formatted("{:>8} {:>6} {:>8}  {:<10} {}", job.id, ranks, age, is_part ? "part" : "?", job.refusal).c_str());
    return;
  }
  const Result<JobLook> look = look_at(job, kPatienceNs);
  if (!look.ok()) {
    std::puts(formatted("{:>8} {:>6} {:>8}  {:<10} {}", job.id, "?", age, "?", look.status().message()).c_str());
    return;
  }
  const observe::Snapshot& snapshot = look.value().snapshot;
  const char* const state = observe::verdict_words(observe::diagnose(snapshot).verdict);
  std::puts(formatted("{:>8} {:>6} {:>8}  {:<10} {}", job.id, snapshot.ranks.size(), age, state, longest_wait(snapshot))
                .c_str());
  for (const std::string& problem : look.value().problems) std::puts(formatted("{:>9}{}", "", problem).c_str());
}

}  // namespace

int ps_command(Arguments arguments) {
  CLI::App app(
      "Lists the jobs that run on this machine: the process number of mpiexec, ranks, age, state, and who waits "
      "longest. "
      "'starling why JOB' says more of one.",
      "starling ps");
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  const std::vector<observe::FoundJob> jobs = observe::find_jobs();
  if (jobs.empty()) {
    std::puts("no job runs on this machine");
    return 0;
  }
  std::puts(formatted("{:>8} {:>6} {:>8}  {:<10} {}", "JOB", "RANKS", "AGE", "STATE", "WAITS LONGEST").c_str());
  for (const observe::FoundJob& job : jobs) print_job(job);
  return 0;
}

}  // namespace starling::tools
