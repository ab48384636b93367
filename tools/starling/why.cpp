// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling why: why a running job does not get on.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "job_choice.hpp"
#include "launch/start/self.hpp"
#include "observe/analysis/diagnosis.hpp"
#include "observe/analysis/roll_call.hpp"
#include "observe/job/job_reader.hpp"
#include "observe/job/position.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::tools {
namespace {

bool runs_own_code(observe::Activity activity) {
  using observe::Activity;
  return activity == Activity::kOutside || activity == Activity::kTesting || activity == Activity::kActive;
}

/// Finds out where the first of these ranks are in their programs. Returns why that was impossible for one, or nothing.
std::string add_positions(observe::Snapshot& snapshot, const observe::JobReader& reader,
                          const std::vector<std::int32_t>& ranks) {
  constexpr std::size_t kMostRanks = 4;
  constexpr std::int64_t kPatienceNs = 900'000'000;
  const std::int64_t deadline = now_ns() + kPatienceNs;
  const std::string helper = launch::find_helper("starling-symbolize");
  std::string problem;
  std::size_t looked_at = 0;
  for (const std::int32_t rank : ranks) {
    observe::RankSnapshot& each = snapshot.ranks[static_cast<std::size_t>(rank)];
    const pid_t process = reader.process_of(rank);
    if (!runs_own_code(each.activity) || process <= 0) continue;
    if (looked_at++ == kMostRanks) break;
    Result<std::string> position =
        observe::position_of(helper, process, std::max<std::int64_t>(deadline - now_ns(), 0));
    if (position.ok())
      each.position = std::move(position).value();
    else if (problem.empty())
      problem = formatted("where rank {} is in its program is not known: {}", rank, position.status().message());
  }
  return problem;
}

int refuse(const std::string& message) {
  std::fprintf(stderr, "starling why: %s\n", message.c_str());
  return 1;
}

int explain(const observe::FoundJob& job, bool with_positions) {
  constexpr std::int64_t kPatienceNs = 150'000'000;
  constexpr std::size_t kMostLines = 40;
  observe::JobReader reader(*job.segment, job.worker);
  observe::Snapshot snapshot = reader.look(kPatienceNs);
  observe::Diagnosis diagnosis = observe::diagnose(snapshot);
  std::string problem;
  if (with_positions) {
    problem = add_positions(snapshot, reader, diagnosis.culprits);
    diagnosis = observe::diagnose(snapshot);
  }
  if (!observe::process_runs(job.worker)) return refuse(formatted("job {} has ended meanwhile", job.id));
  std::puts(diagnosis.sentence.c_str());
  std::fputs(observe::roll_call_text(snapshot, kMostLines).c_str(), stdout);
  if (!problem.empty()) std::puts(problem.c_str());
  return 0;
}

}  // namespace

int why_command(Arguments arguments) {
  CLI::App app(
      "Says why a running job does not get on: first a sentence, as 'deadlock: 0 waits for 1, 1 for 0, both in "
      "MPI_Recv "
      "with tag 7', then what each rank does. The job does not notice.",
      "starling why");
  std::string name;
  bool quick = false;
  app.add_option("job", name,
                 "the process number of mpiexec, as 'starling ps' lists it; may be left out where one job runs")
      ->type_name("JOB");
  app.add_flag("--quick", quick, "do not stop any rank to see where it is in its program");
  if (const std::optional<int> ends = read_options(app, arguments)) return *ends;
  const Result<observe::FoundJob> job = choose_job(name);
  if (!job.ok()) return refuse(job.status().message());
  return explain(job.value(), !quick);
}

}  // namespace starling::tools
