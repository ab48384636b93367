// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Rests: how a thread gives its core away in a long row of calls that return at once and find nothing. On Linux 6.18 a
// rank of another session that was bound to the same core got none of it for 20 s and more beside a rank that yielded
// in each of its calls; a sleep, however short, lets it run. So a long row naps a little now and then. Where others
// need the core it sleeps like a wait, though not for long, since its call has to return: more ranks are awake than
// there are cores, or the thread has been without a core for a good part of the time since its last rest, though it
// only asked for calls.
//
// Thread safety: an object belongs to one thread.
#pragma once

#include <cstdint>

namespace starling::progress {

class Rests {
 public:
  enum class How : std::uint8_t {
    kYield,
    kNap,    ///< the shortest sleep that there is
    kSleep,  ///< until something comes, at most for longest_sleep_ns()
  };

  /// row_ns: how long calls have found nothing; is_crowded: more ranks are awake than cores.
  [[nodiscard]] How next(std::int64_t row_ns, std::int64_t now_ns, bool is_crowded) noexcept;
  /// The rest is over.
  void end_rest(std::int64_t now_ns) noexcept;
  /// A call has found something.
  void end_row() noexcept { counts_from_ns_ = 0; }

  /// The most that a call which has to return sleeps.
  static constexpr std::int64_t kLongestSleepNs = 1'000'000;
  [[nodiscard]] static std::int64_t longest_sleep_ns(std::int64_t row_ns) noexcept;

 private:
  std::int64_t counts_from_ns_ = 0;  ///< when the last rest ended, or the row became long; 0: it is not long
  std::int64_t cpu_ns_ = 0;          ///< of the thread, then
  bool lacks_core_ = false;          ///< in this row
};

}  // namespace starling::progress
