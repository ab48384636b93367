// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LookTimer: when a rank looks next whether those that owe it an answer are silent. Thread safety: the world's lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "transport/tcp/event_set.hpp"

namespace starling::transport::tcp {

class LookTimer {
 public:
  /// events: outlives it.
  explicit LookTimer(EventSet& events) noexcept : events_(events) {}

  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  /// Then, or sooner; INT64_MAX: never for this.
  void look_at(std::int64_t due_ns) noexcept {
    if (due_ns >= due_ns_) return;
    due_ns_ = due_ns;
    events_.set_timer(due_ns);
  }
  /// The time has come: it begins anew.
  void begin_look() noexcept { due_ns_ = INT64_MAX; }

 private:
  EventSet& events_;
  std::int64_t due_ns_ = INT64_MAX;
};

}  // namespace starling::transport::tcp
