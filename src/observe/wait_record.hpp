// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WaitRecord: where a rank publishes the Wait that has become long. It holds while StatusCard::since_ns is not 0, or,
// of the kind kTestLoop, tests_since_ns.
//
// Thread safety: written by the owning rank only, under the world's lock; read by anyone. The version is a sequence
// lock: odd while the record is written; what a reader has read between two equal even versions is of one wait. Its
// fields are relaxed atomics, so that a read at the wrong moment is torn and no data race.
// Layout: 320 bytes, the same in every process of a job.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "observe/awaited.hpp"

namespace starling::observe {

/// A Wait as a reader sees it.
struct WaitSample {
  Wait wait;
  std::uint32_t version = 0;  ///< another one: it has been described anew
  std::uint64_t moves = 0;    ///< StatusCard::moves when it was described; the same now: it still holds
  /// StatusCard::calls at its latest look: a row of tests that goes on is only a few calls behind the card.
  std::uint64_t calls = 0;
};

struct alignas(64) WaitRecord {
  struct Entry {
    std::atomic<std::int32_t> peer{-1};
    std::atomic<std::int32_t> tag{-1};
    std::atomic<std::uint32_t> context_id{Awaited::kNoContext};
    std::atomic<std::uint32_t> as{0};  ///< AwaitedAs, and kUnderWay

    static constexpr std::uint32_t kUnderWay = 0x100;
  };

  std::atomic<std::uint32_t> version{0};
  std::atomic<std::uint32_t> kind{0};  ///< WaitKind
  std::atomic<std::uint32_t> told{0};  ///< entries that are written
  std::atomic<std::uint32_t> pending{0};
  std::atomic<std::uint64_t> moves{0};
  std::atomic<std::uint64_t> calls{0};  ///< also stored alone, without a new version
  std::uint64_t reserved[4] = {};
  Entry entries[Wait::kMost];

  void publish(const Wait& wait, std::uint64_t moves_then, std::uint64_t calls_then) noexcept;

  /// None: the owner was writing during each of several tries.
  [[nodiscard]] std::optional<WaitSample> read() const noexcept;
};
static_assert(sizeof(WaitRecord::Entry) == 16);
static_assert(sizeof(WaitRecord) == 64 + 16 * Wait::kMost);

}  // namespace starling::observe
