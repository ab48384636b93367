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
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>

#include "base/clock.hpp"

namespace starling::launch {
namespace {

struct Process {
  pid_t pid;
  pid_t parent;
  bool is_found = false;
};

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// The parent of a living process, -1 for a dead or vanished one. /proc/<pid>/stat: "<pid> (<name>) <state> <parent>
/// ...", the 20th word is the number of threads. A process lives on when its first thread has ended ("Z") and others
/// have not.
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
  char state = 'X';
  int parent = -1;
  int threads = 0;
  constexpr const char* kForm = ") %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d";
  if (after_name == nullptr || std::sscanf(after_name, kForm, &state, &parent, &threads) < 2) return -1;
  return (state == 'Z' || state == 'X') && threads <= 1 ? -1 : parent;
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

void sleep_ns(std::int64_t nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec time{nanoseconds / kSecond, nanoseconds % kSecond};
  nanosleep(&time, nullptr);
}

/// Processor time of this thread.
std::int64_t used_ns() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

/// What does not end for long, as a process that waits for a device does not, is looked for ever more seldom; and where
/// a look takes much processor time, on a machine with very many processes, it is a small part of the time.
std::int64_t pause_after(std::int64_t waited_ns, std::int64_t look_ns) {
  constexpr std::int64_t kShortestNs = 1'000'000;
  constexpr std::int64_t kLongestNs = 50'000'000;
  constexpr std::int64_t kOfTheWait = 8;
  constexpr std::int64_t kLooks = 16;
  return std::max(std::clamp(waited_ns / kOfTheWait, kShortestNs, kLongestNs), kLooks * look_ns);
}

}  // namespace

void become_reaper() noexcept { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<pid_t> descendants() {
  std::vector<Process> processes = all_processes();
  std::vector<pid_t> found{getpid()};
  for (std::size_t at = 0; at < found.size(); ++at) {
    for (Process& process : processes) {
      // Once: a number that was given to a second process meanwhile may stand for a parent and for its own child.
      if (process.parent != found[at] || process.is_found) continue;
      process.is_found = true;
      found.push_back(process.pid);
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
  const std::int64_t begin = now_ns();
  const std::int64_t patience_ns = patience_ms * std::int64_t{1'000'000};
  while (!reap_children()) {
    const std::int64_t waited = now_ns() - begin;
    if (waited >= patience_ns) return;
    const std::int64_t before = used_ns();
    signal_descendants(SIGKILL);
    sleep_ns(std::min(pause_after(waited, used_ns() - before), patience_ns - waited));
  }
}

}  // namespace starling::launch
