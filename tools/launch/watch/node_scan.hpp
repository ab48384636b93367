// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NodeScan: a short look of the launcher at all ranks of its node, twice a second: who is idle, and since when. It
// tells whether a closer look may find anything, and costs a few cache lines a rank. Thread safety: a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

struct NodeScan {
  /// A wait that is younger ends soon, as a rule; the next scan sees it.
  static constexpr std::int64_t kYoungNs = 40'000'000;

  std::uint32_t there = 0;    ///< ranks that have not left MPI, nor ended
  std::uint32_t waiting = 0;  ///< that are in a wait which is not young
  std::uint32_t idle = 0;     ///< those, and the ones in a row of tests that find nothing
  /// Of who waits, and in which wait: the same in two scans: the same ranks have waited, in the same waits, and moved
  /// nothing. Rows of tests are part of it.
  std::uint64_t state = 0;
  /// The longest that a rank has waited, and that one which does not wait has run its own code, tested, or been in one
  /// call. 0: there is none.
  std::int64_t waited_ns = 0;
  std::int64_t away_ns = 0;
  std::uint64_t away_state = 0;  ///< of who is away so long that it may be late, as state

  [[nodiscard]] bool all_idle() const noexcept { return there > 0 && idle == there; }
  /// Whether it says the same as another one, but for times that have grown since.
  [[nodiscard]] bool is_like(const NodeScan& other) const noexcept;
  /// What the ranks of two nodes do.
  [[nodiscard]] NodeScan with(const NodeScan& other) const noexcept;
  /// The same a while later.
  [[nodiscard]] NodeScan after(std::int64_t ns) const noexcept;

  [[nodiscard]] std::string serialised() const;
  [[nodiscard]] static Result<NodeScan> parse(std::string_view bytes);
};

/// Looks at all ranks, and notes when each has made its last call (observe/call_count_seen.hpp). late_ns: away for so
/// long is late.
[[nodiscard]] NodeScan scan_node(const memory::JobSegment& segment, std::int64_t now_ns, std::int64_t late_ns);

}  // namespace starling::launch
