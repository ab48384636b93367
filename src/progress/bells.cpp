// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/bells.hpp"

#include <algorithm>

#include "memory/doorbell.hpp"

namespace starling::progress {

void Bells::remove(memory::Doorbell& bell) { others_.erase(std::find(others_.begin(), others_.end(), &bell)); }

Bells::Tickets Bells::announce() {
  const auto announced = [](memory::Doorbell& bell) {
    const std::uint32_t ticket = bell.ticket.load(std::memory_order_acquire);
    bell.sleeping.fetch_add(1, std::memory_order_seq_cst);
    return ticket;
  };
  Tickets tickets;
  tickets.own = announced(own_);
  for (memory::Doorbell* bell : others_) tickets.others.push_back({&bell->ticket, announced(*bell)});
  return tickets;
}

void Bells::sleep(Tickets& tickets, std::int64_t most_ns) noexcept {
  if (tickets.others.empty()) return futex_wait(own_.ticket, tickets.own, most_ns);
  tickets.others.insert(tickets.others.begin(), {&own_.ticket, tickets.own});
  futex_wait_any_for(tickets.others, most_ns);
}

void Bells::retract(const Tickets& tickets) noexcept {
  own_.sleeping.fetch_sub(1, std::memory_order_relaxed);
  for (memory::Doorbell* bell : others_) {
    // Bells may have come and gone while this thread slept.
    const bool was_announced = std::any_of(tickets.others.begin(), tickets.others.end(),
                                           [&](const FutexWait& wait) { return wait.word == &bell->ticket; });
    if (was_announced) bell->sleeping.fetch_sub(1, std::memory_order_relaxed);
  }
}

void AwakeRank::look(bool has_leader) noexcept {
  const bool is_awake = sleepers_ == 0 || has_leader;
  if (is_awake == is_awake_) return;
  is_awake_ = is_awake;
  if (is_awake) card_.wake();
  count(is_awake);
  if (!is_awake) card_.fall_asleep(ticket_);
}

}  // namespace starling::progress
