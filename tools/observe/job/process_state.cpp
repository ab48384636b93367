// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/process_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/descriptor.hpp"
#include "base/format.hpp"

namespace starling::observe {
namespace {

/// The beginning of a small file of /proc; empty: there is none.
std::string beginning_of(pid_t process, const std::string& name) {
  const Descriptor file(open(formatted("/proc/{}/{}", process, name).c_str(), O_RDONLY | O_CLOEXEC));
  char text[256];
  const ssize_t count = file.valid() ? read(file.get(), text, sizeof text) : 0;
  return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : std::string();
}

/// As proc(5) has it; 0: not known. name: the file of the process that tells.
char state_in(pid_t process, const std::string& name) {
  const std::string stat = beginning_of(process, name);
  const std::size_t behind_name = stat.rfind(") ");
  return behind_name == std::string::npos || behind_name + 2 >= stat.size() ? '\0' : stat[behind_name + 2];
}

}  // namespace

bool is_stopped(pid_t process) {
  const char state = state_in(process, "stat");
  return state == 'T' || state == 't';
}

bool has_running_thread(pid_t process) {
  DIR* const threads = opendir(formatted("/proc/{}/task", process).c_str());
  if (threads == nullptr) return false;
  bool found = false;
  while (const dirent* const entry = found ? nullptr : readdir(threads)) {
    found = entry->d_name[0] != '.' && state_in(process, formatted("task/{}/stat", entry->d_name)) == 'R';
  }
  closedir(threads);
  return found;
}

std::optional<ProcessorUse> processor_use(pid_t process) {
  const std::string text = beginning_of(process, "schedstat");
  char* behind = nullptr;
  ProcessorUse use;
  use.ran_ns = std::strtoll(text.c_str(), &behind, 10);
  if (behind == text.c_str() || use.ran_ns == 0) return std::nullopt;
  use.queued_ns = std::strtoll(behind, nullptr, 10);
  return use;
}

}  // namespace starling::observe
