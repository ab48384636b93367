// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling why: why a running job does not get on.
#include <cstdio>
#include <string>

#include "base/format.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "job_choice.hpp"
#include "job_look.hpp"
#include "observe/analysis/diagnosis.hpp"
#include "observe/analysis/roll_call.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::tools {
namespace {

int cannot_say(const std::string& message) {
  std::fprintf(stderr, "starling why: %s\n", message.c_str());
  return 1;
}

int explain(const observe::FoundJob& job, bool with_positions) {
  constexpr std::int64_t kPatienceNs = 150'000'000;
  constexpr std::size_t kMostLines = 40;
  Result<JobLook> look = look_at(job, kPatienceNs);
  if (!look.ok()) return cannot_say(look.status().message());
  observe::Snapshot& snapshot = look.value().snapshot;
  observe::Diagnosis diagnosis = observe::diagnose(snapshot);
  std::string problem;
  if (with_positions) {
    problem = add_positions(job, snapshot, diagnosis.culprits);
    diagnosis = observe::diagnose(snapshot);
  }
  if (!observe::process_runs(job.worker)) return cannot_say(formatted("job {} has ended meanwhile", job.id));
  std::puts(diagnosis.sentence.c_str());
  std::fputs(observe::roll_call_text(snapshot, kMostLines).c_str(), stdout);
  for (const std::string& each : look.value().problems) std::puts(each.c_str());
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
  if (!job.ok()) return cannot_say(job.status().message());
  return explain(job.value(), !quick);
}

}  // namespace starling::tools
