// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Two processes share the launcher's work, so that nothing stays behind however it dies.
//
// The guardian is the process that the user started. It takes the signals and what is typed, and waits. The worker is
// its child: it starts the ranks and serves them. Both adopt orphans, so everything of the job is always below one of
// them:
//   - the worker dies: its ranks get SIGKILL from the kernel, their children fall to the guardian, which kills them;
//   - the guardian dies: the worker sees the channel close, kills everything below it and ends.
// The worker has a process group and a name of its own, so that killing a shell's job or every "mpiexec" leaves one of
// the two to clean up. The guardian passes signals on as messages, each once.
//
// Thread safety: for single-threaded processes.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <initializer_list>
#include <optional>

#include "base/descriptor.hpp"
#include "launch/events/event_loop.hpp"
#include "launch/start/spawn.hpp"

namespace starling::launch {

/// A signal that the guardian received for the job.
struct PassedSignal {
  int signal = 0;
  bool from_terminal = false;  ///< the kernel sent it to the whole foreground group
};

/// What the worker gets from the guardian.
class GuardianChannel {
 public:
  GuardianChannel(Descriptor socket, Descriptor typed, pid_t group)
      : socket_(std::move(socket)), typed_(std::move(typed)), group_(group) {}

  /// Calls pass_on for each signal. When the guardian is killed, so is all that is below this process, and it ends.
  void serve(EventLoop& loop, std::function<void(const PassedSignal&)> pass_on) const;
  /// A pipe with what is typed at the terminal; invalid where standard input is no terminal or is not forwarded.
  [[nodiscard]] Descriptor& typed() noexcept { return typed_; }
  /// The guardian's process group: the one that a terminal speaks to.
  [[nodiscard]] pid_t group() const noexcept { return group_; }

 private:
  /// The next signal; no value: the guardian is gone.
  [[nodiscard]] std::optional<PassedSignal> receive() const;

  Descriptor socket_;
  Descriptor typed_;
  pid_t group_;
};

/// Whether the guardian reads our terminal for the ranks.
enum class Typing { kForward, kLeave };

using Work = std::function<int(GuardianChannel&, const Inherited&)>;

/// Runs work in a guarded child process and returns its exit status, once nothing of it is left. The work gets what the
/// launcher inherited, because the guarded child blocks the signals that the guardian takes. Descriptors that are the
/// work's alone are closed in the guardian.
int run_guarded(Typing typing, const Work& work, std::initializer_list<Descriptor*> works_own = {});

}  // namespace starling::launch
