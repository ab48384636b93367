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
#include <set>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "observe/job/launcher_socket.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::observe {
namespace {

/// What a worker calls itself (guardian.cpp).
constexpr std::string_view kWorkerName = "starling-job";
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
  *refusal = "its ranks are just being started";
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

std::string this_host() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

/// What a part of a job says of the whole.
std::string words_of_part(const FoundJob& job) {
  if (job.host.empty()) return "it is a part of a job whose mpiexec runs on another host; ask there";
  return formatted("it is a part of a job of host {}; there 'starling why {}' says more", job.host, job.mpiexec);
}

void take_kind(FoundJob& job) {
  const std::optional<LauncherSocket> socket = socket_of(job.worker);
  if (socket && socket->is_head) {
    job.kind = JobKind::kHead;
    job.socket = socket->name;
    job.segment.reset();
    job.refusal = shares_network_with(job.worker)
                      ? ""
                      : formatted(
                            "its mpiexec is in another namespace of the network, as in a container; ask from there "
                            "('nsenter -n -t {} starling why {}' as root)",
                            job.worker, job.id);
    return;
  }
  const bool in_part =
      job.segment != nullptr && job.segment->header().geometry.world_ranks > job.segment->header().geometry.ranks;
  if (!socket && !in_part) return;
  job.kind = JobKind::kPart;
  if (socket) {
    job.host = socket->host;
    job.mpiexec = socket->mpiexec;
  }
  job.refusal = words_of_part(job);
}

std::optional<FoundJob> look_at(pid_t worker) {
  const std::optional<ProcessFacts> facts = process_facts(worker);
  if (!facts || facts->name != kWorkerName) return std::nullopt;
  FoundJob job;
  job.worker = worker;
  job.id = facts->parent > 1 ? facts->parent : worker;
  job.user = facts->user;
  job.age_ns = facts->age_ns;
  if (const std::optional<ProcessFacts> guardian = process_facts(job.id)) {
    for (const std::string& word : guardian->arguments) job.command += (job.command.empty() ? "" : " ") + word;
  }
  job.segment = open_segment(worker, &job.refusal);
  take_kind(job);
  if (job.kind == JobKind::kHere && job.segment == nullptr && job.user != geteuid()) {
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
  std::set<pid_t> heads;
  std::set<pid_t> workers;
  for (const FoundJob& job : jobs) {
    workers.insert(job.worker);
    if (job.kind == JobKind::kHead) heads.insert(job.id);
  }
  const std::string here = this_host();
  std::erase_if(jobs, [&](const FoundJob& job) {
    const bool is_known_part = job.kind == JobKind::kPart && job.host == here && heads.contains(job.mpiexec);
    return is_known_part || workers.contains(job.id);  // the latter: a rank that has not begun its program yet
  });
  std::ranges::sort(jobs, {}, &FoundJob::id);
  return jobs;
}

}  // namespace starling::observe
