// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// WaitTeam: the threads of one rank that wait in MPI at the same time. One leads: with the rank's lock it makes the
// rounds for all and asks after each round whose condition holds. The others follow: each looks at a word of its own,
// without the lock, until it is told that its condition holds or that it shall lead. So threads that wait do not
// contend for the lock, and a message wakes only the thread that it is for.
//
// A leader that sleeps until its rank's doorbell rings leads no more: a thread that comes then is awake, and leads. One
// that is told to lead may find that another has come before it, and follows again.
//
// Thread safety: the rank's lock, but for awake_followers().
#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_list.hpp"
#include "progress/call_lock.hpp"
#include "progress/wait_mode.hpp"

namespace starling::progress {

/// What a thread waits for; the thread that leads asks.
class Condition {
 public:
  /// holds outlives the condition.
  template <typename Holds>
  explicit Condition(const Holds& holds) noexcept
      : holds_(&holds), ask_([](const void* asked) -> bool { return (*static_cast<const Holds*>(asked))(); }) {}
  bool operator()() const { return ask_(holds_); }

 private:
  const void* holds_;
  bool (*ask_)(const void*);
};

class WaitTeam {
 public:
  /// One waiting thread; it lives on that thread's stack.
  class Member : public ListHook {
   public:
    explicit Member(Condition condition) noexcept : condition_(condition) {}

   private:
    friend class WaitTeam;
    static constexpr std::uint32_t kNothing = 0;
    static constexpr std::uint32_t kSleeps = 1;  ///< told nothing, and sleeps on the word
    static constexpr std::uint32_t kToGoOn = 2;

    [[nodiscard]] bool follows() const noexcept { return told_.load(std::memory_order_relaxed) != kToGoOn; }

    Condition condition_;
    /// Orders nothing: who tells has the lock, and who is told takes it.
    std::atomic<std::uint32_t> told_{kToGoOn};
  };

  /// How a follower waits; the times are since it began.
  struct Patience {
    WaitMode mode = WaitMode::kAuto;
    std::int64_t spin_ns = 0;
    std::int64_t sleep_after_ns = 0;
  };

  WaitTeam() = default;
  WaitTeam(const WaitTeam&) = delete;
  WaitTeam& operator=(const WaitTeam&) = delete;

  /// Nobody leads, or the calling thread does: a condition or a poller may wait itself.
  [[nodiscard]] bool may_lead() const noexcept;
  [[nodiscard]] bool has_leader() const noexcept { return leader_ != nullptr; }
  [[nodiscard]] bool leads(const Member& member) const noexcept { return leader_ == &member; }
  /// The calling thread leads by this member from now on. Returns the member by which it did so before, or null.
  Member* begin_to_lead(Member& member) noexcept;
  /// before: what begin_to_lead() returned. Where that is null a follower is told to lead.
  void end_to_lead(Member* before) noexcept;
  /// The calling thread leads no more until resume(), and then only if nobody else does. Null: it does not lead.
  Member* pause() noexcept;
  void resume(Member* leader) noexcept;

  /// Tells those whose condition holds; whether there was one.
  bool tell_followers() noexcept {
    if (followers_.empty()) [[likely]]
      return false;
    return tell_those_who_may_go_on();
  }
  /// Waits until the member is told to go on: its condition holds, or held, or it may lead. The lock is given up
  /// meanwhile. is_crowded(), asked without it: more threads are awake than there are cores.
  template <typename IsCrowded>
  void follow(Member& member, CallLock& lock, const Patience& patience, const IsCrowded& is_crowded) {
    begin_to_follow(member);
    lock.unlock();
    Step step;
    do step = next_step(member, patience, is_crowded(), step);
    while (member.follows());
    if (!step.has_slept) awake_followers_.fetch_sub(1, std::memory_order_relaxed);
    lock.lock();
  }

  /// How often a thread has begun to follow.
  [[nodiscard]] std::uint64_t joined() const noexcept { return joined_; }
  /// Threads that follow and do not sleep; without the lock.
  [[nodiscard]] std::uint32_t awake_followers() const noexcept {
    return awake_followers_.load(std::memory_order_relaxed);
  }

 private:
  /// How far a follower's wait is.
  struct Step {
    std::uint32_t looks = 0;
    std::int64_t since_ns = 0;
    bool has_slept = false;
  };

  void begin_to_follow(Member& member) noexcept;
  /// Spins, yields or sleeps.
  Step next_step(Member& member, const Patience& patience, bool is_crowded, Step step) noexcept;
  void sleep(Member& member, Step& step) noexcept;
  bool tell_those_who_may_go_on() noexcept;
  void tell(Member& member) noexcept;

  IntrusiveList<Member> followers_;
  Member* leader_ = nullptr;
  const void* leading_thread_ = nullptr;
  std::uint64_t joined_ = 0;
  std::atomic<std::uint32_t> awake_followers_{0};
};

}  // namespace starling::progress
