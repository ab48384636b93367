// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec shall do about jobs that do not get on, as options and settings say it.
// Thread safety: values; pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/clock.hpp"
#include "base/status.hpp"

namespace starling::launch {

/// What a deadlock is answered with. kEnd: only one that is proven.
enum class OnDeadlock : std::uint8_t { kSay, kEnd, kNothing };

/// say, end or nothing. origin: what names it in an error, as "--on-deadlock".
[[nodiscard]] Result<OnDeadlock> parse_on_deadlock(const std::string& text, const std::string& origin);

/// Seconds, or never. In ms; 0: never.
[[nodiscard]] Result<std::int64_t> parse_note_after(const std::string& text);

struct WatchSettings {
  OnDeadlock on_deadlock = OnDeadlock::kSay;
  std::int64_t note_after_ms = 60'000;  ///< for a rank that keeps others waiting; 0: never
  std::int64_t still_after_ms = 10'000;
  bool quiet = false;  ///< no notes

  /// For how long a rank that keeps others waiting is not late yet.
  [[nodiscard]] std::int64_t late_ns() const noexcept {
    return note_after_ms > 0 && !quiet ? note_after_ms * kMillisecond : std::numeric_limits<std::int64_t>::max();
  }
  /// Whether there is anything to look for.
  [[nodiscard]] bool speaks() const noexcept {
    return on_deadlock == OnDeadlock::kEnd || (!quiet && (on_deadlock == OnDeadlock::kSay || note_after_ms > 0));
  }
};

}  // namespace starling::launch
