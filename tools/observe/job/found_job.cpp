// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/found_job.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::observe {
namespace {

constexpr std::string_view kWorkerTitle = "starling-job";
/// What /proc shows of the segment: a memory file, or one in a folder that was unlinked at birth.
constexpr std::string_view kSegmentName = "starling-job";

std::string user_name(uid_t user) {
  const passwd* const entry = getpwuid(user);
  return entry != nullptr ? entry->pw_name : formatted("number {}", user);
}

/// What the segment of another build says, for its layout is not known here.
std::string other_build(pid_t worker) {
  char path[PATH_MAX];
  const ssize_t length = readlink(formatted("/proc/{}/exe", worker).c_str(), path, sizeof path);
  const std::string program = length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "beside its mpiexec";
  return formatted("another build of Starling runs it; ask that one: {}", program);
}

/// The job segment among the descriptors of a launcher; null with the reason why there is none.
std::unique_ptr<memory::JobSegment> open_segment(pid_t worker, std::string* refusal) {
  const std::string folder = formatted("/proc/{}/fd", worker);
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) {
    *refusal = formatted("its launcher's descriptors may not be read: {}", std::strerror(errno));
    return nullptr;
  }
  std::unique_ptr<memory::JobSegment> found;
  *refusal = "its launcher has no shared memory here yet, or leads agents on other hosts";
  while (const dirent* const entry = readdir(entries)) {
    char target[256];
    const std::string path = formatted("{}/{}", folder, entry->d_name);
    const ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length <= 0) continue;
    if (std::string_view(target, static_cast<std::size_t>(length)).find(kSegmentName) == std::string_view::npos)
      continue;
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
      *refusal = formatted("its shared memory may not be opened: {}", std::strerror(errno));
      continue;
    }
    Result<std::unique_ptr<memory::JobSegment>> segment = memory::JobSegment::attach(file);
    if (segment.ok()) {
      found = std::move(segment).value();
      refusal->clear();
      break;
    }
    *refusal = other_build(worker);
  }
  closedir(entries);
  return found;
}

std::optional<FoundJob> look_at(pid_t worker) {
  const std::optional<ProcessFacts> facts = process_facts(worker);
  if (!facts || facts->arguments.empty() || facts->arguments.front() != kWorkerTitle) return std::nullopt;
  FoundJob job;
  job.worker = worker;
  job.id = facts->parent > 1 ? facts->parent : worker;
  job.user = facts->user;
  job.age_ns = facts->age_ns;
  if (const std::optional<ProcessFacts> guardian = process_facts(job.id)) {
    for (const std::string& word : guardian->arguments) job.command += (job.command.empty() ? "" : " ") + word;
  }
  job.segment = open_segment(worker, &job.refusal);
  if (job.segment == nullptr && job.user != geteuid()) {
    job.refusal =
        formatted("it is a job of user {}, whose processes only that user and root may look into", user_name(job.user));
  }
  return job;
}

}  // namespace

std::vector<FoundJob> find_jobs() {
  std::vector<FoundJob> jobs;
  for (const pid_t process : all_processes()) {
    if (std::optional<FoundJob> job = look_at(process)) jobs.push_back(std::move(*job));
  }
  std::ranges::sort(jobs, {}, &FoundJob::id);
  return jobs;
}

}  // namespace starling::observe
