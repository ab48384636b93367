// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/format.hpp"

namespace starling::launch {
namespace {

/// What the launcher has open beside the pipes of the ranks, its reserve for children that begin included.
constexpr rlim_t kOwnFiles = 24;
/// The reading ends of a rank's output and errors.
constexpr rlim_t kFilesOfARank = 2;

std::string value_of(rlim_t limit) { return limit == RLIM_INFINITY ? "unlimited" : std::to_string(limit); }

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The smallest number of processes that a control group above us allows, with its file; empty: none says.
std::string group_limit() {
  std::string folder = first_line_of("/proc/self/cgroup");
  folder = folder.starts_with("0::") ? folder.substr(3) : "/";
  for (;; folder = folder.substr(0, folder.rfind('/'))) {
    const std::string path = "/sys/fs/cgroup" + (folder == "/" ? "" : folder) + "/pids.max";
    const std::string value = first_line_of(path);
    if (!value.empty() && value != "max") return formatted(", the container's is {} ({})", value, path);
    if (folder.empty() || folder == "/") return {};
  }
}

std::string explain_processes() {
  rlimit limit{};
  getrlimit(RLIMIT_NPROC, &limit);
  return formatted(
      " (no more processes may be started: the limit of this user is {} (ulimit -u){}, the machine's {} "
      "(/proc/sys/kernel/pid_max); start fewer ranks, end other programs, or raise the one that is reached)",
      value_of(limit.rlim_cur), group_limit(), first_line_of("/proc/sys/kernel/pid_max"));
}

std::string explain_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return formatted(" (the limit on open files is {}, of at most {}: ulimit -n; raise it or start fewer ranks)",
                   value_of(limit.rlim_cur), value_of(limit.rlim_max));
}

std::string explain_memory() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  return limit.rlim_cur == RLIM_INFINITY
             ? std::string(" (the machine or the container has no more memory: start fewer ranks)")
             : formatted(" (the limit on address space is {} bytes: ulimit -v)", value_of(limit.rlim_cur));
}

}  // namespace

std::string explain_error(int error) {
  std::string text = std::strerror(error);
  if (error == EAGAIN) text += explain_processes();
  if (error == EMFILE) text += explain_files();
  if (error == ENFILE) text += " (the whole machine has too many files open: /proc/sys/fs/file-max)";
  if (error == ENOMEM) text += explain_memory();
  if (error == EPERM || error == ENOSYS)
    text += " (a sandbox, a container's seccomp profile or an old kernel refuses it)";
  return text;
}

std::string allow_files_for(std::uint32_t ranks) {
  rlimit limit{};
  const rlim_t needed = kOwnFiles + rlim_t{ranks} * kFilesOfARank;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return {};
  if (limit.rlim_max < needed) {
    const rlim_t fit = limit.rlim_max > kOwnFiles ? (limit.rlim_max - kOwnFiles) / kFilesOfARank : 0;
    return formatted(
        "{} ranks need {} open files in mpiexec, two for the output of each, and the limit is {} (ulimit -Hn), "
        "which is enough for {}. Raise it, or start fewer ranks",
        ranks, needed, value_of(limit.rlim_max), fit);
  }
  limit.rlim_cur = needed;
  setrlimit(RLIMIT_NOFILE, &limit);
  return {};
}

void allow_all_files() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace starling::launch
