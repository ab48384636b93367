// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/process_state.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
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

/// From the state on, as proc(5) has it; empty: not known. name: the file of the process that tells.
std::string states_in(pid_t process, const std::string& name) {
  const std::string stat = beginning_of(process, name);
  const std::size_t behind_name = stat.rfind(") ");
  return behind_name == std::string::npos ? std::string() : stat.substr(behind_name + 2);
}

/// 0: not known.
char state_in(pid_t process, const std::string& name) {
  const std::string states = states_in(process, name);
  return states.empty() ? '\0' : states[0];
}

/// Whether what is asked is true of a thread; asks: called with the file that tells of it.
template <typename Asks>
bool any_thread(pid_t process, const Asks& asks) {
  DIR* const threads = opendir(formatted("/proc/{}/task", process).c_str());
  if (threads == nullptr) return false;
  bool found = false;
  while (const dirent* const entry = found ? nullptr : readdir(threads)) {
    found = entry->d_name[0] != '.' && asks(formatted("task/{}/stat", entry->d_name));
  }
  closedir(threads);
  return found;
}

}  // namespace

bool is_stopped(pid_t process) {
  const char state = state_in(process, "stat");
  return state == 'T' || state == 't';
}

bool is_ending(pid_t process) {
  if (states_in(process, "stat").empty()) return kill(process, 0) != 0 && errno == ESRCH;
  constexpr unsigned kExiting = 4;  // PF_EXITING of Linux
  return !any_thread(process, [&](const std::string& thread) {
    const std::string states = states_in(process, thread);
    char state = '\0';
    unsigned flags = 0;
    if (std::sscanf(states.c_str(), "%c %*d %*d %*d %*d %*d %u", &state, &flags) != 2) return false;
    return state != 'Z' && state != 'X' && (flags & kExiting) == 0;
  });
}

bool has_running_thread(pid_t process) {
  return any_thread(process, [&](const std::string& thread) { return state_in(process, thread) == 'R'; });
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
