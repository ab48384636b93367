// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/position.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/format.hpp"

extern char** environ;

namespace starling::observe {
namespace {

Status no_position(const std::string& why) { return Status::error(ErrorClass::kOther, why); }

/// Starts the helper with both of its outputs in the pipe; 0: refused.
pid_t start(const std::string& helper, pid_t process, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  const std::string number = formatted("{}", process);
  const char* const words[] = {helper.c_str(), "--position", number.c_str(), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, helper.c_str(), &actions, nullptr, const_cast<char**>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : 0;
}

/// All that comes until the end; false: not in time.
bool read_all(int descriptor, std::int64_t deadline_ns, std::string* text) {
  constexpr std::int64_t kNsPerMs = 1'000'000;
  char buffer[1024];
  while (true) {
    const std::int64_t left_ms = std::max<std::int64_t>((deadline_ns - now_ns()) / kNsPerMs, 0);
    pollfd ready{descriptor, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(left_ms)) != 1) return false;
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count <= 0) return count == 0;
    text->append(buffer, static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<std::string> position_of(const std::string& helper, pid_t process, std::int64_t patience_ns) {
  int ends[2];
  if (helper.empty()) return no_position("starling-symbolize is missing");
  if (pipe2(ends, O_CLOEXEC) != 0) return no_position(std::strerror(errno));
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = start(helper, process, writing.get());
  writing.reset();
  if (child == 0) return no_position("starling-symbolize cannot be started");
  std::string text;
  const bool in_time = read_all(reading.get(), now_ns() + patience_ns, &text);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (!in_time) return no_position("its debug information takes too long to read");
  while (text.ends_with('\n')) text.pop_back();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return no_position(text.empty() ? "starling-symbolize failed" : text);
  return text;
}

}  // namespace starling::observe
