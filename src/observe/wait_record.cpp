// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/wait_record.hpp"

#include <algorithm>

namespace starling::observe {
namespace {

void store(WaitRecord::Entry& entry, const Awaited& awaited) noexcept {
  entry.peer.store(awaited.peer.value, std::memory_order_relaxed);
  entry.tag.store(awaited.tag, std::memory_order_relaxed);
  entry.context_id.store(awaited.context_id, std::memory_order_relaxed);
  entry.as.store(static_cast<std::uint32_t>(awaited.as) | (awaited.under_way ? WaitRecord::Entry::kUnderWay : 0),
                 std::memory_order_relaxed);
}

Awaited load(const WaitRecord::Entry& entry) noexcept {
  const std::uint32_t as = entry.as.load(std::memory_order_relaxed);
  Awaited awaited;
  awaited.peer = PeerId(entry.peer.load(std::memory_order_relaxed));
  awaited.tag = entry.tag.load(std::memory_order_relaxed);
  awaited.context_id = entry.context_id.load(std::memory_order_relaxed);
  awaited.as = static_cast<AwaitedAs>(as & 0xff);
  awaited.under_way = (as & WaitRecord::Entry::kUnderWay) != 0;
  return awaited;
}

}  // namespace

// All orders that C++ permits are tried in tests/weak_memory/records_test.cpp.

void WaitRecord::publish(const Wait& wait, std::uint64_t moves_then, std::uint64_t calls_then) noexcept {
  const std::uint32_t even = version.load(std::memory_order_relaxed);
  version.store(even + 1, std::memory_order_relaxed);
  // No field before the odd version, and none behind the next even one.
  std::atomic_thread_fence(std::memory_order_release);
  kind.store(static_cast<std::uint32_t>(wait.kind()), std::memory_order_relaxed);
  told.store(static_cast<std::uint32_t>(wait.awaited().size()), std::memory_order_relaxed);
  pending.store(wait.pending(), std::memory_order_relaxed);
  moves.store(moves_then, std::memory_order_relaxed);
  calls.store(calls_then, std::memory_order_relaxed);
  for (std::size_t i = 0; i < wait.awaited().size(); ++i) store(entries[i], wait.awaited()[i]);
  version.store(even + 2, std::memory_order_release);
}

std::optional<WaitSample> WaitRecord::read() const noexcept {
  constexpr int kTries = 8;
  for (int tries = 0; tries < kTries; ++tries) {
    const std::uint32_t before = version.load(std::memory_order_acquire);
    WaitSample sample;
    sample.version = before;
    sample.wait = Wait(static_cast<WaitKind>(kind.load(std::memory_order_relaxed)));
    const std::size_t count = std::min<std::size_t>(told.load(std::memory_order_relaxed), Wait::kMost);
    for (std::size_t i = 0; i < count; ++i) sample.wait.add(load(entries[i]));
    const std::uint32_t all = pending.load(std::memory_order_relaxed);
    if (all > count) sample.wait.add_untold(all - static_cast<std::uint32_t>(count));
    sample.moves = moves.load(std::memory_order_relaxed);
    sample.calls = calls.load(std::memory_order_relaxed);
    // acquire: the second look at the version comes after the fields.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && version.load(std::memory_order_relaxed) == before) return sample;
  }
  return std::nullopt;
}

}  // namespace starling::observe
