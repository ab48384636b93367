// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Tells other processes of a call: on the rank's card, and as the latest of its last calls.
//
// Thread safety: that of StatusCard. Invariants: the entry comes before the count that makes it one, also where the
// rank dies between the two.
#pragma once

#include <atomic>
#include <cstdint>

#include "observe/last_calls.hpp"
#include "observe/status_card.hpp"

namespace starling::observe {

/// The arguments that LastCalls::Entry has; of each call some.
struct ShownCall {
  std::int32_t peer = 0;
  std::int32_t other = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  std::int64_t count = 0;
  std::uint32_t type = 0;
};

/// tells: which of the arguments count.
template <Tells tells>
[[gnu::always_inline]] inline void show_call(StatusCard& card, std::uint32_t call,
                                             const ShownCall& arguments) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::uint64_t number = card.calls.load(kRelaxed);
  // release: who sees a word of this entry sees that the calls before it were counted, and that the entry is no older
  // one (last_calls.cpp).
  std::atomic_thread_fence(std::memory_order_release);
  LastCalls::Entry& entry = card.last.entries[number % LastCalls::kMost];
  constexpr Tells kPeer = kTellsDestination | kTellsSource | kTellsRoot | kTellsTarget;
  constexpr Tells kBoth = kTellsDestination | kTellsSource;
  entry.call.store(call | tells << LastCalls::kTellsShift, kRelaxed);
  if constexpr ((tells & kPeer) != 0) entry.peer.store(arguments.peer, kRelaxed);
  if constexpr ((tells & kBoth) == kBoth) entry.other.store(arguments.other, kRelaxed);
  if constexpr ((tells & kTellsTag) != 0) entry.tag.store(arguments.tag, kRelaxed);
  if constexpr ((tells & kTellsComm) != 0) entry.comm.store(arguments.comm, kRelaxed);
  if constexpr ((tells & (kTellsCount | kTellsRequests)) != 0) entry.count.store(arguments.count, kRelaxed);
  if constexpr ((tells & kTellsCount) != 0) entry.type.store(arguments.type, kRelaxed);
  card.call.store(call, kRelaxed);
  // release: the entry.
  card.calls.store(number + 1, std::memory_order_release);
}

}  // namespace starling::observe
