// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracing.hpp"

#include <dirent.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/format.hpp"
#include "base/small_files.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::symbolize {
namespace {

using observe::status_field;

std::string content_of(const std::string& path) {
  std::string text = read_whole_file(path);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

bool may_trace_all() {
  constexpr unsigned kSysPtrace = 19;  // CAP_SYS_PTRACE
  const std::string rights = status_field("/proc/self", "CapEff");
  return (std::strtoull(rights.c_str(), nullptr, 16) >> kSysPtrace & 1) != 0;
}

std::string user_of(pid_t process) {
  struct stat info {};
  if (stat(formatted("/proc/{}", process).c_str(), &info) != 0 || info.st_uid == geteuid()) return {};
  const passwd* const entry = getpwuid(info.st_uid);
  return entry != nullptr ? entry->pw_name : formatted("number {}", info.st_uid);
}

}  // namespace

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(formatted("/proc/{}/task", process).c_str()), closedir);
  while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
    if (const int number = std::atoi(entry->d_name); number > 0) threads.push_back(number);
  }
  std::ranges::sort(threads, {}, [&](pid_t thread) { return std::pair(thread != process, thread); });
  return threads;
}

char state_of(pid_t process, pid_t thread) {
  const std::string text = content_of(formatted("/proc/{}/task/{}/stat", process, thread));
  const std::size_t behind_name = text.rfind(") ");
  return behind_name == std::string::npos || behind_name + 2 >= text.size() ? '?' : text[behind_name + 2];
}

std::string name_of(pid_t process, pid_t thread) {
  return content_of(formatted("/proc/{}/task/{}/comm", process, thread));
}

std::string refusal(pid_t process, pid_t thread, int error) {
  if (error == ESRCH) return "it has ended";
  const std::string tracer = status_field(formatted("/proc/{}/task/{}", process, thread), "TracerPid");
  if (std::atoi(tracer.c_str()) > 0) {
    return formatted("{} (process {}) traces it, and only one can: end that first",
                     content_of(formatted("/proc/{}/comm", tracer)), tracer);
  }
  const std::string scope = content_of("/proc/sys/kernel/yama/ptrace_scope");
  if (scope == "3") return "this system lets nobody trace a process (/proc/sys/kernel/yama/ptrace_scope is 3)";
  if (may_trace_all()) return formatted("the system refuses to trace it: {}", std::strerror(error));
  if (const std::string user = user_of(process); !user.empty())
    return formatted("it is a process of user {}, whose stacks only that user and root may read", user);
  if (scope == "1" || scope == "2") {
    return formatted(
        "this system lets only root trace a process that is not its own child "
        "(/proc/sys/kernel/yama/ptrace_scope is {}): ask as root",
        scope);
  }
  return formatted(
      "this container or system does not let it be traced ({}): allow SYS_PTRACE, as by docker run "
      "--cap-add SYS_PTRACE",
      std::strerror(error));
}

}  // namespace starling::symbolize
