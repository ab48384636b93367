// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/card_sample.hpp"

#include <algorithm>

namespace starling::observe {
namespace {

/// Calls that a row of tests may be ahead of the look that was published last.
constexpr std::uint64_t kCallsBetweenLooks = 64;

CollectiveSample sample(const CollectiveCard::Entry& entry) noexcept {
  CollectiveSample found;
  found.context_id = entry.context_id.load(std::memory_order_relaxed);
  found.sequence = entry.sequence.load(std::memory_order_relaxed);
  found.call = entry.call.load(std::memory_order_relaxed);
  found.root = entry.root.load(std::memory_order_relaxed);
  found.bytes = entry.bytes.load(std::memory_order_relaxed);
  return found;
}

void sample(const CollectiveCard& card, CardSample* found) noexcept {
  constexpr std::uint32_t kMost = CollectiveCard::kMost;
  std::array<CollectiveSample, kMost> entries;
  const std::uint32_t told = card.told.load(std::memory_order_acquire);
  for (std::uint32_t back = 0; back < kMost && back < told; ++back) entries[back] = sample(card.entry(told - back));
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint32_t ahead = card.begun.load(std::memory_order_relaxed) - told;
  // The rank may have begun others meanwhile, in the places of the oldest.
  for (std::uint32_t back = 0; back < kMost; ++back) {
    if (back + ahead >= kMost) entries[back] = {};
  }
  found->collective = entries.front();
  std::copy(entries.begin() + 1, entries.end(), found->earlier.begin());
}

}  // namespace

bool CardSample::tests() const noexcept {
  const bool told = since_ns == 0 && tests_since_ns != 0 && wait && wait->wait.kind() == WaitKind::kTestLoop;
  // The record is read after the count, so it may know of more calls.
  return told && static_cast<std::int64_t>(calls - wait->calls) <= static_cast<std::int64_t>(kCallsBetweenLooks);
}

CardSample sample(const StatusCard& card, const WaitRecord& record, const std::atomic<std::uint32_t>& ticket) noexcept {
  CardSample found;
  found.call = card.call.load(std::memory_order_relaxed);
  found.flags = card.flags.load(std::memory_order_relaxed);
  found.calls = card.calls.load(std::memory_order_relaxed);
  found.since_ns = card.since_ns.load(std::memory_order_acquire);
  found.tests_since_ns = card.tests_since_ns.load(std::memory_order_acquire);
  found.looks = card.looks.load(std::memory_order_relaxed);
  found.heartbeat = card.heartbeat.load(std::memory_order_relaxed);
  found.moves = card.moves.load(std::memory_order_relaxed);
  found.asleep = card.asleep.load(std::memory_order_acquire);
  if (found.since_ns != 0 || found.tests_since_ns != 0) found.wait = record.read();
  sample(card.collective, &found);
  // The ticket last: not rung until the end of the sample.
  std::atomic_thread_fence(std::memory_order_acquire);
  found.undisturbed =
      found.asleep != 0 && found.asleep == (StatusCard::kAsleep | ticket.load(std::memory_order_relaxed));
  return found;
}

bool was_quiet_between(const CardSample& first, const CardSample& second) noexcept {
  if (!first.waits() || !second.waits() || second.wait->wait.kind() == WaitKind::kTestLoop) return false;
  const bool same = first.call == second.call && first.calls == second.calls && first.since_ns == second.since_ns &&
                    first.moves == second.moves && first.wait->version == second.wait->version;
  if (!same || second.wait->moves != second.moves) return false;
  if (second.asleep != 0) return second.undisturbed && first.undisturbed && first.asleep == second.asleep;
  return second.looks - first.looks >= 2;
}

}  // namespace starling::observe
