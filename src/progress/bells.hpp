// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Bells: the doorbells that others ring for a rank: its own, and one in each segment that it shares with another job. A
// sleep ends when any of them rings (docs/design/progress.md, "Why no wake-up is lost"). AwakeRank: whether the rank
// counts as awake.
//
// Thread safety: the rank's lock, but for sleep().
#pragma once

#include <cstdint>
#include <vector>

#include "base/futex.hpp"
#include "memory/job_segment.hpp"
#include "progress/own_card.hpp"

namespace starling::progress {

class Bells {
 public:
  /// The bells as they were when a sleep was announced.
  struct Tickets {
    std::uint32_t own = 0;
    std::vector<FutexWait> others;
    std::uint64_t joined = 0;  ///< WaitTeam::joined() then
  };

  explicit Bells(memory::Doorbell& own) noexcept : own_(own) {}

  [[nodiscard]] memory::Doorbell& own() noexcept { return own_; }
  void add(memory::Doorbell& bell) { others_.push_back(&bell); }
  void remove(memory::Doorbell& bell);
  [[nodiscard]] bool several() const noexcept { return !others_.empty(); }

  /// Tells who rings that a thread is about to sleep. A barrier and a last look follow before it may.
  [[nodiscard]] Tickets announce();
  /// Until a bell rings, or has rung since they were announced, and at most for most_ns (negative: no limit).
  void sleep(Tickets& tickets, std::int64_t most_ns) noexcept;
  void retract(const Tickets& tickets) noexcept;

 private:
  memory::Doorbell& own_;
  std::vector<memory::Doorbell*> others_;
};

/// A rank counts as awake unless a thread of it sleeps until a bell rings and none makes rounds.
class AwakeRank {
 public:
  AwakeRank(memory::JobHeader& header, OwnCard& card) noexcept : header_(header), card_(card) { count(true); }
  ~AwakeRank() { count(false); }
  AwakeRank(const AwakeRank&) = delete;
  AwakeRank& operator=(const AwakeRank&) = delete;

  void begin_sleep(std::uint32_t ticket) noexcept {
    ++sleepers_;
    ticket_ = ticket;
  }
  void end_sleep() noexcept { --sleepers_; }
  /// After one of these, or when a thread has begun or ended to make rounds for others.
  void look(bool has_leader) noexcept;

 private:
  void count(bool awake) noexcept { header_.awake.fetch_add(awake ? 1U : ~0U, std::memory_order_relaxed); }

  memory::JobHeader& header_;
  OwnCard& card_;
  std::uint32_t sleepers_ = 0;
  std::uint32_t ticket_ = 0;  ///< of the last of them
  bool is_awake_ = true;
};

}  // namespace starling::progress
