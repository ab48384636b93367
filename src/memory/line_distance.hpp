// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LineDistance: whether the core that writes a line of shared memory is near the core of this thread, by how long the
// line takes to come. On a virtual machine nothing else says so, and it changes while a program runs.
// Thread safety: none; belongs to the thread that reads the line.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace starling::memory {

class LineDistance {
 public:
  /// A line of a core that shares a cache comes in 10 to 60 ns, any other takes 100 to 250 (Zen 3).
  static constexpr std::int64_t kNearNs = 85;
  /// So many lines in a row: of lines from afar up to a third are fetched ahead by the core and seem quick, of lines
  /// from near one in a hundred seems slow.
  static constexpr std::uint32_t kInARow = 8;

  /// While the last lines have all come quickly.
  [[nodiscard]] bool is_near() const noexcept { return quick_ >= kInARow; }

  /// Reads what the line says and takes note of how long that took. last: what it said when this thread read it last; a
  /// line that has not changed lies in this core's cache and says nothing. The clock's own time does not count.
  template <typename Value, typename Read>
  [[nodiscard]] Value look(Value last, Read&& read) noexcept {
    const std::int64_t before = now_ns();
    const std::int64_t begin = now_ns();
    const Value value = read();
    const std::int64_t end = now_ns();
    if (value != last) saw((end - begin) - (begin - before));
    return value;
  }

  /// How long a line took to come that the other had written since this thread read it last.
  void saw(std::int64_t ns) noexcept { quick_ = ns >= kNearNs ? 0 : quick_ < kInARow ? quick_ + 1 : kInARow; }

 private:
  std::uint32_t quick_ = 0;
};

}  // namespace starling::memory
