// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// KeptHandlers: what the process does with signals is afterwards as it was before. Libraries of some providers take
// signals over when they are loaded, SIGSEGV and SIGTERM too.
// Thread safety: one at a time, others wait; nobody else changes the handlers meanwhile.
#pragma once

#include <array>
#include <csignal>
#include <mutex>

namespace starling::transport::ofi {

class KeptHandlers {
 public:
  KeptHandlers() : lock_(only_one()) {
    for (int signal = 1; signal < kSignals; ++signal) is_known_[at(signal)] = read(signal, before_[at(signal)]);
  }
  ~KeptHandlers() {
    for (int signal = 1; signal < kSignals; ++signal) {
      struct sigaction now {};
      const struct sigaction& before = before_[at(signal)];
      if (!is_known_[at(signal)] || !read(signal, now)) continue;
      if (now.sa_sigaction != before.sa_sigaction || now.sa_flags != before.sa_flags)
        sigaction(signal, &before, nullptr);
    }
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;

 private:
  static constexpr int kSignals = 32;  // those that are not real-time signals

  static std::mutex& only_one() {
    static std::mutex lock;
    return lock;
  }
  static std::size_t at(int signal) noexcept { return static_cast<std::size_t>(signal); }
  static bool read(int signal, struct sigaction& action) noexcept { return sigaction(signal, nullptr, &action) == 0; }

  std::lock_guard<std::mutex> lock_;
  std::array<struct sigaction, kSignals> before_{};
  std::array<bool, kSignals> is_known_{};
};

}  // namespace starling::transport::ofi
