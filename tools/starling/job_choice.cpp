// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "job_choice.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/format.hpp"

namespace starling::tools {
namespace {

using observe::FoundJob;

Status no_job(const std::string& why) { return Status::error(ErrorClass::kOther, why); }

std::string list_of(const std::vector<FoundJob>& jobs) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t i = 0; i < jobs.size() && i < kMost; ++i) {
    text += formatted("{}{} ({})", i == 0 ? "" : ", ", jobs[i].id, jobs[i].command);
  }
  return jobs.size() > kMost ? formatted("{} and {} more", text, jobs.size() - kMost) : text;
}

Result<FoundJob> readable(FoundJob job) {
  if (job.refusal.empty()) return job;
  return no_job(formatted("job {} cannot be looked into: {}", job.id, job.refusal));
}

}  // namespace

Result<FoundJob> choose_job(const std::string& name) {
  std::vector<FoundJob> jobs = observe::find_jobs();
  if (!name.empty()) {
    const int number = std::atoi(name.c_str());
    const auto found = std::ranges::find_if(
        jobs, [&](const FoundJob& job) { return number > 0 && (job.id == number || job.worker == number); });
    if (found != jobs.end()) return readable(std::move(*found));
    return no_job(formatted("no job {} runs on this machine; 'starling ps' lists those that do", name));
  }
  const uid_t user = geteuid();
  const bool has_own = std::ranges::any_of(jobs, [&](const FoundJob& job) { return job.user == user; });
  if (has_own) std::erase_if(jobs, [&](const FoundJob& job) { return job.user != user; });
  if (jobs.empty()) return no_job("no job runs on this machine: start one with mpiexec");
  if (jobs.size() == 1) return readable(std::move(jobs.front()));
  return no_job(formatted("{} jobs run on this machine; name one of them: {}", jobs.size(), list_of(jobs)));
}

}  // namespace starling::tools
