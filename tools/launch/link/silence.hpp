// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Silence: whether the other end of a link has been quiet for too long. Both ends send something each kBeatNs. Who has
// been stopped himself, as by a debugger, does not know how long the other has been quiet, and begins to count again.
// Thread safety: a value.
#pragma once

#include <cstdint>

namespace starling::launch {

class Silence {
 public:
  static constexpr std::int64_t kBeatNs = 500'000'000;

  void heard(std::int64_t now_ns) noexcept { heard_ns_ = now_ns; }

  /// When the other end was last heard.
  [[nodiscard]] std::int64_t heard_ns() const noexcept { return heard_ns_; }

  /// For each kBeatNs: whether nothing has been heard for longer than limit_ns.
  [[nodiscard]] bool too_long(std::int64_t now_ns, std::int64_t limit_ns) noexcept {
    const bool held_up = now_ns - looked_ns_ > 2 * kBeatNs;
    looked_ns_ = now_ns;
    if (held_up) heard_ns_ = now_ns;
    return now_ns - heard_ns_ > limit_ns;
  }

  /// Until the next beat: sooner than kBeatNs where the limit is reached before.
  [[nodiscard]] std::int64_t next_beat_ns(std::int64_t now_ns, std::int64_t limit_ns) const noexcept {
    const std::int64_t left_ns = heard_ns_ + limit_ns - now_ns;
    return left_ns < 0 || left_ns >= kBeatNs ? kBeatNs : left_ns + 1;
  }

 private:
  std::int64_t heard_ns_ = 0;
  std::int64_t looked_ns_ = 0;
};

}  // namespace starling::launch
