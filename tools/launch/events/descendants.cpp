// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/events/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>

namespace starling::launch {
namespace {

struct Process {
  pid_t pid;
  pid_t parent;
};

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// The parent of a living process, -1 for a dead or vanished one. /proc/<pid>/stat: "<pid> (<name>) <state> <parent>
/// ...".
pid_t parent_of(const char* pid) {
  const std::string path = std::string("/proc/") + pid + "/stat";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[512];
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return -1;
  text[length] = '\0';
  const char* after_name = std::strrchr(text, ')');  // the name may contain anything, the last ')' ends it
  if (!after_name || std::strlen(after_name) < 5) return -1;
  const char state = after_name[2];
  return state == 'Z' || state == 'X' ? -1 : static_cast<pid_t>(std::strtol(after_name + 4, nullptr, 10));
}

std::vector<Process> all_processes() {
  std::vector<Process> processes;
  const std::unique_ptr<DIR, FolderCloser> folder(opendir("/proc"));
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const pid_t parent = parent_of(entry->d_name);
    if (parent >= 0) processes.push_back({static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)), parent});
  }
  return processes;
}

void sleep_ms(long milliseconds) {
  const timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace

void become_reaper() noexcept { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> descendants() {
  const std::vector<Process> processes = all_processes();
  std::vector<pid_t> found{getpid()};
  for (std::size_t at = 0; at < found.size(); ++at) {
    for (const Process& process : processes) {
      if (process.parent == found[at]) found.push_back(process.pid);
    }
  }
  found.erase(found.begin());
  return found;
}

void signal_descendants(int signal) {
  for (const pid_t pid : descendants()) kill(pid, signal);
}

bool reap_children() noexcept {
  pid_t reaped = 0;
  do {
    reaped = waitpid(-1, nullptr, WNOHANG);
  } while (reaped > 0 || (reaped < 0 && errno == EINTR));
  return reaped < 0;
}

void kill_descendants(int patience_ms) {
  for (int waited_ms = 0; !reap_children() && waited_ms < patience_ms; ++waited_ms) {
    signal_descendants(SIGKILL);
    sleep_ms(1);
  }
}

}  // namespace starling::launch
