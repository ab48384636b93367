// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CardSample: a copy of a rank's status card and of what its wait waits for, and what two samples prove.
//
// Thread safety: value types; any thread of any process may take a sample.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "observe/status_card.hpp"
#include "observe/wait_record.hpp"

namespace starling::observe {

struct CollectiveSample {
  std::uint32_t context_id = 0;
  std::uint32_t sequence = 0;  ///< 0: the rank has begun none
  std::uint32_t call = 0;
  std::int32_t root = -1;
  std::uint64_t bytes = 0;
};

struct CardSample {
  std::uint32_t call = 0;
  std::uint32_t flags = 0;
  std::uint64_t calls = 0;
  std::int64_t since_ns = 0;
  std::int64_t tests_since_ns = 0;
  std::uint64_t heartbeat = 0;
  std::uint64_t moves = 0;
  std::uint64_t asleep = 0;
  std::uint64_t looks = 0;
  /// The doorbell that the rank sleeps on has not been rung since it fell asleep.
  bool undisturbed = false;
  CollectiveSample collective;                                      ///< the one begun last
  std::array<CollectiveSample, CollectiveCard::kMost - 1> earlier;  ///< those before it, the latest first
  /// None: the rank neither waits long nor tests, or was writing at each of several looks.
  std::optional<WaitSample> wait;

  [[nodiscard]] bool waits() const noexcept { return since_ns != 0 && wait.has_value(); }
  /// In a row of tests that find nothing. Where calls is the same in a later sample the program has turned away from
  /// it, to compute.
  [[nodiscard]] bool tests() const noexcept;
};

/// ticket: of the rank's doorbell (memory::Doorbell::ticket).
[[nodiscard]] CardSample sample(const StatusCard& card, const WaitRecord& record,
                                const std::atomic<std::uint32_t>& ticket) noexcept;

/// Whether two samples of a rank, the earlier one first, prove that it was quiet (status_card.hpp) from the end of the
/// first to the beginning of the second. False proves nothing: a later pair may prove it.
[[nodiscard]] bool was_quiet_between(const CardSample& first, const CardSample& second) noexcept;

}  // namespace starling::observe
