// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Silence: whether the other end of a link has been quiet for too long. Both ends send something each kBeatNs. Who has
// been stopped himself, as by a debugger, does not know how long the other has been quiet, and begins to count again.
// An end whose machine answers for it (Pulse) may be quiet for longer.
// Thread safety: a value.
#pragma once

#include <algorithm>
#include <cstdint>

namespace starling::launch {

class Silence {
 public:
  static constexpr std::int64_t kBeatNs = 500'000'000;

  void heard(std::int64_t now_ns) noexcept { heard_ns_ = now_ns; }
  /// The machine of the other end has answered for it then.
  void answered(std::int64_t then_ns) noexcept { answered_ns_ = std::max(answered_ns_, then_ns); }

  /// When the other end was last heard.
  [[nodiscard]] std::int64_t heard_ns() const noexcept { return heard_ns_; }
  /// When there was the last sign of it or its machine.
  [[nodiscard]] std::int64_t sign_ns() const noexcept { return std::max(heard_ns_, answered_ns_); }
  /// It is time to ask its machine.
  [[nodiscard]] bool is_suspect(std::int64_t now_ns, std::int64_t limit_ns) const noexcept {
    return now_ns - heard_ns_ > limit_ns / 2;
  }
  /// It says nothing, though its machine answers.
  [[nodiscard]] bool is_mute(std::int64_t now_ns, std::int64_t limit_ns) const noexcept {
    return now_ns - heard_ns_ > limit_ns && now_ns - answered_ns_ <= limit_ns;
  }

  /// When it has lasted too long, if nothing comes any more.
  [[nodiscard]] std::int64_t overdue_ns(std::int64_t limit_ns, std::int64_t mute_limit_ns) const noexcept {
    return std::min(sign_ns() + limit_ns, heard_ns_ + std::max(limit_ns, mute_limit_ns));
  }

  /// For each kBeatNs: whether there has been no sign for longer than limit_ns, or nothing has been heard for longer
  /// than mute_limit_ns.
  [[nodiscard]] bool too_long(std::int64_t now_ns, std::int64_t limit_ns, std::int64_t mute_limit_ns) noexcept {
    const bool held_up = now_ns - looked_ns_ > 2 * kBeatNs;
    looked_ns_ = now_ns;
    if (held_up) heard_ns_ = now_ns;
    return now_ns > overdue_ns(limit_ns, mute_limit_ns);
  }

  /// Until the next beat: sooner than kBeatNs where a limit is reached before.
  [[nodiscard]] std::int64_t next_beat_ns(std::int64_t now_ns, std::int64_t limit_ns,
                                          std::int64_t mute_limit_ns) const noexcept {
    const std::int64_t left_ns = overdue_ns(limit_ns, mute_limit_ns) - now_ns;
    return left_ns < 0 || left_ns >= kBeatNs ? kBeatNs : left_ns + 1;
  }

 private:
  std::int64_t heard_ns_ = 0;
  std::int64_t answered_ns_ = 0;
  std::int64_t looked_ns_ = 0;
};

}  // namespace starling::launch
