// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// OwnCard: what the engine writes on its rank's status card and wait record (observe/). LongWait: a wait there, from
// when it has become long until it ends.
//
// Thread safety: the world's lock; readers are other processes. All stores are relaxed, but those that a reader begins
// with (since_ns, tests_since_ns, asleep): who sees one of them sees what is awaited.
#pragma once

#include <atomic>
#include <cstdint>

#include "memory/job_header.hpp"
#include "observe/awaited.hpp"
#include "observe/listener.hpp"
#include "observe/tracer.hpp"
#include "progress/looks.hpp"

namespace starling::progress {

/// Who hears of what a rank does; null: nobody.
struct Listeners {
  observe::Tracer* tracer = nullptr;      ///< records it, for as long as the rank lives
  observe::Listener* listener = nullptr;  ///< may come and go
};

class OwnCard {
 public:
  /// tracer: null where the rank is not traced.
  OwnCard(memory::RankBlock& block, observe::Tracer* tracer) noexcept : block_(block), listeners_{tracer, nullptr} {}

  [[nodiscard]] observe::StatusCard& card() const noexcept { return block_.card; }

  void set_flag(observe::StatusCard::Flag flag) noexcept { card().flags.fetch_or(flag, std::memory_order_relaxed); }
  /// A wait has looked, and found nothing.
  void note_look() noexcept { count_up(card().looks); }
  void note_yield() noexcept { count_up(card().heartbeat); }
  /// A long wait has moved something.
  void note_move() noexcept { count_up(card().moves); }
  void fall_asleep(std::uint32_t ticket) noexcept {
    card().asleep.store(observe::StatusCard::kAsleep | ticket, std::memory_order_release);
  }
  void wake() noexcept { card().asleep.store(0, std::memory_order_relaxed); }

  [[nodiscard]] Listeners& listeners() noexcept { return listeners_; }

  void begin_wait(const observe::Wait& wait, std::int64_t since_ns);
  /// Of a wait that is on the card.
  void describe_anew(const observe::Wait& wait, std::int64_t since_ns) noexcept;
  void end_wait(std::int64_t since_ns);

  // A row of tests that find nothing.
  /// The row goes on. True: it is long, and the card lacks it.
  [[nodiscard]] bool goes_on(Looks& looks, std::int64_t now_ns) noexcept;
  void begin_row(const Looks& looks, const observe::Wait& wait) noexcept;
  void end_row() noexcept {
    if (card().tests_since_ns.load(std::memory_order_relaxed) != 0) [[unlikely]]
      card().tests_since_ns.store(0, std::memory_order_relaxed);
  }

 private:
  /// Of a number that only this rank writes.
  static void count_up(std::atomic<std::uint64_t>& number) noexcept {
    number.store(number.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void publish(const observe::Wait& wait) noexcept;

  memory::RankBlock& block_;
  Listeners listeners_;
};

class LongWait {
 public:
  explicit LongWait(OwnCard& card) noexcept : card_(card) {}
  ~LongWait() {
    if (since_ns_ != 0) [[unlikely]]
      card_.end_wait(since_ns_);
  }
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;

  /// The wait has moved something: what is on the card may hold no longer.
  void note_move() noexcept {
    if (since_ns_ == 0) [[likely]]
      return;
    is_old_ = true;
    card_.note_move();
  }
  /// Whether the card lacks the wait, or has an older state of it and the wait is idle again: after so many polls that
  /// found nothing, or about to sleep.
  [[nodiscard]] bool needs_description(std::uint32_t idle_polls, bool sleeps) const noexcept {
    return since_ns_ == 0 || (is_old_ && (sleeps || idle_polls >= kPollsBeforeAnew));
  }
  /// idle_since_ns: when the wait became idle.
  void describe(const observe::Wait& wait, std::int64_t idle_since_ns) {
    is_old_ = false;
    if (since_ns_ != 0) return card_.describe_anew(wait, since_ns_);
    since_ns_ = idle_since_ns;
    card_.begin_wait(wait, since_ns_);
  }

 private:
  static constexpr std::uint32_t kPollsBeforeAnew = 1024;

  OwnCard& card_;
  std::int64_t since_ns_ = 0;  ///< when it had become long; 0: it is not on the card
  bool is_old_ = false;        ///< what is on the card
};

}  // namespace starling::progress
