// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "doctor_job.hpp"

#include <time.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "doctor_process.hpp"
#include "job_choice.hpp"
#include "job_look.hpp"
#include "launch/query/ask.hpp"
#include "launch/query/evidence_responder.hpp"
#include "observe/analysis/diagnosis.hpp"
#include "observe/figures/delay_count.hpp"
#include "observe/figures/job_checks.hpp"
#include "observe/figures/rank_table.hpp"
#include "observe/job/job_examiner.hpp"
#include "observe/job/process_facts.hpp"
#include "observe/model/words.hpp"

namespace starling::tools {
namespace {

int refuse(const std::string& message) {
  std::fprintf(stderr, "starling doctor: %s\n", message.c_str());
  return 1;
}

/// What was seen of the job in so many seconds.
struct Watched {
  observe::JobEvidence evidence;
  JobLook look;
};

/// Ends early where the job does.
observe::JobEvidence watch_here(const observe::FoundJob& job, std::int64_t watched_ns) {
  observe::JobExaminer examiner(*job.segment, job.worker);
  for (const std::int64_t end = now_ns() + watched_ns; now_ns() < end && observe::process_runs(job.worker);) {
    const timespec pause{0, static_cast<long>(examiner.pause_ns())};
    nanosleep(&pause, nullptr);
    examiner.look();
  }
  return examiner.evidence();
}

/// Each host watches its own ranks. Who makes others wait is seen only in looks at all of them.
Result<observe::JobEvidence> watch_hosts(const observe::FoundJob& job, std::int64_t watched_ns) {
  auto asked = std::async(std::launch::async, launch::ask, std::cref(job), launch::evidence_query(watched_ns));
  observe::DelayCount delays;
  while (asked.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    const Result<JobLook> look = look_at(job, 0);
    if (look.ok()) delays.add(look.value().snapshot);
  }
  const Result<launch::Answers> answers = asked.get();
  if (!answers.ok()) return answers.status().copy();
  observe::JobEvidence evidence = launch::evidence_of(answers.value());
  delays.tell(evidence);
  return evidence;
}

Result<Watched> watch(const observe::FoundJob& job, double seconds) {
  const auto watched_ns = static_cast<std::int64_t>(seconds * 1e9);
  Watched watched;
  if (job.segment != nullptr) {
    watched.evidence = watch_here(job, watched_ns);
  } else {
    Result<observe::JobEvidence> evidence = watch_hosts(job, watched_ns);
    if (!evidence.ok()) return std::move(evidence).status();
    watched.evidence = std::move(evidence).value();
  }
  Result<JobLook> look = look_at(job, 0);
  if (!look.ok()) return std::move(look).status();
  watched.look = std::move(look).value();
  return watched;
}

void print(const observe::JobFinding& finding) {
  print_finding("note", finding.check, observe::printable(finding.text, 0) + ".");
  print_finding("    ", "", finding.advice);
}

}  // namespace

int examine_job(const std::string& name, double seconds) {
  const Result<observe::FoundJob> found = choose_job(name);
  if (!found.ok()) return refuse(found.status().message());
  const observe::FoundJob& job = found.value();
  const Result<Watched> watched = watch(job, seconds);
  if (!observe::process_runs(job.worker)) {
    std::puts(formatted("job {} has ended", job.id).c_str());
    return 0;
  }
  if (!watched.ok()) return refuse(watched.status().message());
  const auto& [evidence, look] = watched.value();
  std::puts(formatted("job {}, {} ranks, watched for {:.1f} s: {}", job.id, look.snapshot.ranks.size(),
                      evidence.seconds, observe::printable(job.command, 0))
                .c_str());
  for (const std::string& problem : look.problems) print_finding("note", "hosts", problem + ".");
  const observe::Diagnosis diagnosis = observe::diagnose(look.snapshot);
  const bool is_stuck = diagnosis.verdict != observe::Verdict::kRuns && diagnosis.verdict != observe::Verdict::kWaits;
  if (is_stuck) {
    print_finding("note", "stuck", observe::printable(diagnosis.sentence, 0) + ".");
    print_finding("    ", "", formatted("'starling why {}' says more.", job.id));
  }
  const std::vector<observe::JobFinding> findings = check_job(evidence);
  for (const observe::JobFinding& finding : findings) print(finding);
  if (!findings.empty() || is_stuck) return 0;
  const std::vector<const char*> names = observe::names_of_checks();
  const std::vector<std::string> checks(names.begin(), names.end());
  std::puts(formatted("nothing found: no trouble with {}", observe::join(checks, "or")).c_str());
  return 0;
}

}  // namespace starling::tools
