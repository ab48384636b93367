// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/events/signal_source.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <ctime>

namespace starling::launch {

void SignalSource::start(const sigset_t& signals) {
  signals_ = signals;
  descriptor_ = Descriptor(signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_.valid() || !loop_.on_readable(descriptor_.get(), [this] { read_all(); })) {
    loop_.after(0, [this] { look(); });
  }
}

void SignalSource::read_all() {
  constexpr int kMostAtOnce = 64;  // who sends signals without end shall not hold up what else the loop serves
  signalfd_siginfo info{};
  for (int i = 0; i < kMostAtOnce; ++i) {
    if (read(descriptor_.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) return;
    handler_({static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL});
  }
}

void SignalSource::look() {
  constexpr std::int64_t kPauseNs = 10'000'000;
  const timespec no_time{};
  siginfo_t info{};
  while (sigtimedwait(&signals_, &info, &no_time) > 0) {
    if (info.si_signo != SIGCHLD) handler_({info.si_signo, info.si_code == SI_KERNEL});
  }
  loop_.after(kPauseNs, [this] { look(); });
  // Whether or not it came through: a sandbox may refuse even that, and no death shall be missed.
  if (sigismember(&signals_, SIGCHLD) == 1) handler_({SIGCHLD, true});
}

}  // namespace starling::launch
