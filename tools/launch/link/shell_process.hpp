// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ShellProcess: a remote shell that runs an agent on another host, or the agent itself on this one: a child with pipes
// for its standard input, output and error, in a session of its own, so that no terminal signals it or is asked by it.
// Thread safety: for single-threaded processes; everything runs in the event loop.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/status.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/events/process_watch.hpp"
#include "launch/start/spawn.hpp"

namespace starling::launch {

class ShellProcess {
 public:
  ShellProcess(EventLoop& loop, const Inherited& inherited) noexcept
      : loop_(loop), inherited_(inherited), watch_(loop) {}
  ~ShellProcess();
  ShellProcess(const ShellProcess&) = delete;
  ShellProcess& operator=(const ShellProcess&) = delete;

  /// Starts the command; calls says() for each line of its standard error, and ended() once, when it has ended. An
  /// error's message says what is wrong with the command.
  Status start(const std::vector<std::string>& command, std::function<void(const std::string& line)> says,
               std::function<void()> ended);

  /// Its standard output to read, its standard input to write.
  [[nodiscard]] Descriptor take_output() noexcept { return std::move(output_); }
  [[nodiscard]] Descriptor take_input() noexcept { return std::move(input_); }

  [[nodiscard]] bool running() const noexcept { return process_ > 0 && !has_ended_; }
  /// "ended with exit status 255", "was killed by signal 9 (Killed)"; empty while it runs.
  [[nodiscard]] std::string outcome() const;
  void kill() const noexcept;

 private:
  [[nodiscard]] Status spawn_it(const std::vector<std::string>& command, int standard[3]);
  /// False: there is nothing more for now.
  bool read_errors();
  void on_end();

  EventLoop& loop_;
  Inherited inherited_;
  ProcessWatch watch_;
  pid_t process_ = -1;
  bool has_ended_ = false;
  std::optional<int> status_;  ///< none: somebody else has taken it
  Descriptor input_;
  Descriptor output_;
  Descriptor errors_;
  std::string line_;
  std::function<void(const std::string&)> says_;
  std::function<void()> ended_;
};

}  // namespace starling::launch
