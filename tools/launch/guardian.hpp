// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Two processes share the launcher's work, so that nothing stays behind however it dies.
//
// The guardian is the process that the user started. It takes the signals and waits. The worker is its child: it starts the
// ranks and serves them. Both adopt orphans, so everything of the job is always below one of them:
//   - the worker dies: its ranks get SIGKILL from the kernel, their children fall to the guardian, which kills them;
//   - the guardian dies: the worker sees the channel close, kills everything below it and ends.
// The guardian passes signals on as messages, because a terminal sends them to both and each shall count once.
//
// Thread safety: for single-threaded processes.
#pragma once

#include <csignal>
#include <functional>
#include <optional>

#include "bootstrap/descriptor.hpp"
#include "launch/spawn.hpp"

namespace starling::launch {

/// A signal that the guardian received for the job.
struct PassedSignal {
  int signal = 0;
  bool from_terminal = false;  ///< the kernel sent it to the whole foreground group already
};

/// The worker's end of the line to the guardian.
class GuardianChannel {
 public:
  explicit GuardianChannel(bootstrap::Descriptor socket) : socket_(std::move(socket)) {}
  [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
  /// The next signal; no value: the guardian is gone.
  [[nodiscard]] std::optional<PassedSignal> receive() const;

 private:
  bootstrap::Descriptor socket_;
};

/// Runs work in a guarded child process and returns its exit status, once nothing of it is left. The work gets what the
/// launcher inherited, because the guarded child blocks the signals that the guardian takes.
int run_guarded(const std::function<int(GuardianChannel&, const Inherited&)>& work);

}  // namespace starling::launch
