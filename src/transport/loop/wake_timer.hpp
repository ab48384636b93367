// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WakeTimer: a descriptor that becomes readable at a given time (timerfd), which may be now.
// Thread safety: any thread may read descriptor(); the rest: the mutex of the mailbox.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace starling::transport::loop {

class WakeTimer {
 public:
  WakeTimer() = default;
  ~WakeTimer();
  WakeTimer(const WakeTimer&) = delete;
  WakeTimer& operator=(const WakeTimer&) = delete;

  Status open();
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// Readable from this time of CLOCK_MONOTONIC on, at once if it has passed, and not before.
  void set(std::int64_t due_ns) noexcept;
  /// Not readable until the next set().
  void clear() noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace starling::transport::loop
