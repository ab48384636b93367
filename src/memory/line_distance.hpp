// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LineDistance: whether the core that writes a line of shared memory is near the core of this thread, by how long the
// line takes to come. On a virtual machine nothing else says so, and it changes while a program runs.
// Thread safety: none; belongs to the thread that reads the line.
#pragma once

#include <cstdint>

namespace starling::memory {

class LineDistance {
 public:
  /// A line of a core that shares a cache comes in 20 to 70 ns, any other takes 100 to 250.
  static constexpr std::int64_t kNearNs = 85;

  /// False until the line has been near several times, and again after it has been far as often.
  [[nodiscard]] bool is_near() const noexcept { return score_ > kMost / 2; }

  /// How long a line took to come that the other had written since this thread read it last.
  void saw(std::int64_t ns) noexcept {
    if (ns < kNearNs) {
      if (score_ < kMost) ++score_;
    } else if (score_ > 0) {
      --score_;
    }
  }

 private:
  static constexpr std::uint8_t kMost = 4;

  std::uint8_t score_ = 0;
};

}  // namespace starling::memory
