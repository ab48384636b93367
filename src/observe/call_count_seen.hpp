// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CallCountSeen: when a rank has made its last MPI call, as far as its launcher has seen. The launcher looks about once
// a second, so that no rank has to read a clock. A rank that no launcher of ours has started has none.
//
// Thread safety: written by the launcher of the node only, read by anyone. seen_ns is 0 while calls changes, so that a
// reader never joins the number of one look and the time of another.
// Layout: 16 bytes, the same in every process of a job.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace starling::observe {

struct CallCountSeen {
  std::atomic<std::uint64_t> calls{0};   ///< StatusCard::calls when the launcher looked last
  std::atomic<std::int64_t> seen_ns{0};  ///< now_ns() of the first look that found this number; 0: nobody looks

  /// By the launcher: the rank has made so many calls.
  void note(std::uint64_t now_made, std::int64_t now_ns) noexcept {
    if (calls.load(std::memory_order_relaxed) == now_made && seen_ns.load(std::memory_order_relaxed) != 0) return;
    seen_ns.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    calls.store(now_made, std::memory_order_relaxed);
    seen_ns.store(now_ns, std::memory_order_release);
  }

  /// Since when a rank that has made so many calls has made no other: at the latest. Nothing: not known, or it has made
  /// one since the last look.
  [[nodiscard]] std::optional<std::int64_t> unchanged_since_ns(std::uint64_t now_made) const noexcept {
    const std::int64_t seen = seen_ns.load(std::memory_order_acquire);
    if (seen == 0 || calls.load(std::memory_order_relaxed) != now_made) return std::nullopt;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (seen_ns.load(std::memory_order_relaxed) != seen) return std::nullopt;
    return seen;
  }
};
static_assert(sizeof(CallCountSeen) == 16);

}  // namespace starling::observe
