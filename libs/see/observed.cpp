// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observed.hpp"

#include "base/clock.hpp"
#include "relaxed.hpp"

namespace starling::see {

Observed::Observed(const Seat& seat_taken, bool is_threaded)
    : seat(seat_taken), communicators(seat_taken), threaded_(is_threaded) {
  if (threaded_) seat.card->flags.fetch_or(observe::StatusCard::kThreads, kRelaxed);
  name_predefined_types(types);
  if (seat.ring.exists()) recorder.emplace(seat, is_threaded);
}

std::uint32_t Observed::begin(Communicator& communicator, const BegunCollective& collective) noexcept {
  observe::CollectiveCard& card = seat.card->collective;
  const std::uint32_t sequence = communicator.next_sequence();
  const std::uint32_t begun = card.begun.load(kRelaxed) + 1;
  card.begun.store(begun, kRelaxed);
  // release: who sees one of the words sees that another collective has begun.
  std::atomic_thread_fence(std::memory_order_release);
  observe::CollectiveCard::Entry& entry = card.entry(begun);
  entry.context_id.store(communicator.context, kRelaxed);
  entry.sequence.store(sequence, kRelaxed);
  entry.call.store(collective.function, kRelaxed);
  entry.root.store(collective.root, kRelaxed);
  entry.bytes.store(collective.bytes, kRelaxed);
  card.told.store(begun, std::memory_order_release);
  return sequence;
}

void Observed::count_message(PeerId to, std::uint64_t bytes) noexcept {
  if (to.is_none()) return;
  observe::TrafficCount& count = seat.traffic.count(seat.local, WorldRank(to.value));
  if (!threaded_) return count.add(bytes);
  std::atomic_ref(count.messages).fetch_add(1, kRelaxed);
  std::atomic_ref(count.bytes).fetch_add(bytes, kRelaxed);
}

bool Observed::tested_in_vain() noexcept {
  const std::uint32_t row = vain_.load(kRelaxed) + 1;
  vain_.store(row, kRelaxed);
  if (row > kLongRow && row % kBetweenLooks == 0) seat.wait->calls.store(seat.card->calls.load(kRelaxed), kRelaxed);
  return row == kLongRow;
}

void Observed::begin_tests(const observe::Wait& wait) noexcept {
  publish(wait);
  seat.card->tests_since_ns.store(now_ns(), std::memory_order_release);
}

void Observed::forget_tests() noexcept {
  vain_.store(0, kRelaxed);
  seat.card->tests_since_ns.store(0, kRelaxed);
}

}  // namespace starling::see
