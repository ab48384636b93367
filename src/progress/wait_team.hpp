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
// A thread whose wait has ended mostly waits again soon. To tell another one each time that it shall lead would cost
// more than the message: so while threads come back soon none is told, and the followers *watch*: one that finds that
// nobody leads for as long leads. A follower that sleeps wakes for that every kNapNs, but only while threads leave the
// lead; one that sleeps for good is told.
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
    static constexpr std::uint32_t kNaps = 1;    ///< told nothing, and sleeps on the word, but watches
    static constexpr std::uint32_t kSleeps = 2;  ///< told nothing, and sleeps on the word until it is told
    static constexpr std::uint32_t kToGoOn = 3;

    [[nodiscard]] bool follows() const noexcept { return told_.load(std::memory_order_relaxed) != kToGoOn; }

    Condition condition_;
    /// Who tells has the lock, and who is told takes it: what it orders is only who watches (find_leader).
    std::atomic<std::uint32_t> told_{kToGoOn};
  };

  /// How a follower waits; the times are since it began.
  struct Patience {
    WaitMode mode = WaitMode::kAuto;
    std::int64_t spin_ns = 0;
    std::int64_t sleep_after_ns = 0;
  };

  /// soon_ns: a thread that waits again after no longer than this comes back soon.
  explicit WaitTeam(std::int64_t soon_ns = kSoonNs) noexcept : soon_ns_(soon_ns) {}
  WaitTeam(const WaitTeam&) = delete;
  WaitTeam& operator=(const WaitTeam&) = delete;

  /// Nobody leads, or the calling thread does: a condition or a poller may wait itself.
  [[nodiscard]] bool may_lead() const noexcept;
  [[nodiscard]] bool has_leader() const noexcept { return leader_ != nullptr; }
  [[nodiscard]] bool leads(const Member& member) const noexcept { return leader_ == &member; }
  /// The calling thread leads by this member from now on. Returns the member by which it did so before, or null.
  Member* begin_to_lead(Member& member) noexcept;
  /// before: what begin_to_lead() returned. Where that is null nobody leads now: leave() follows, or the thread waits
  /// on and lets others lead.
  void end_to_lead(Member* before, bool waits_on) noexcept;
  /// The thread waits no more, whether or not it has led. Where nobody leads a follower is told to, or watches.
  void leave() noexcept {
    if (leader_ == nullptr && !followers_.empty() && left_ns_.load(std::memory_order_relaxed) != 0) find_leader();
  }
  /// So many times it tells others, and finds nothing for itself, before they had better make the rounds themselves.
  static constexpr std::uint32_t kTellsOfAMereLeader = 4;
  /// The calling thread leads no more until resume(), and then only if nobody else does. Null: it does not lead.
  Member* pause() noexcept;
  void resume(Member* leader) noexcept;

  /// Tells those whose condition holds; whether there was one.
  bool tell_followers() noexcept {
    if (followers_.empty()) [[likely]]
      return false;
    return tell_those_who_may_go_on();
  }
  /// Waits until the member is told to go on: its condition holds, or held, or it may lead; or until nobody has led for
  /// a while. The lock is given up meanwhile. is_crowded(), asked without it: more threads are awake than there are
  /// cores.
  template <typename IsCrowded>
  void follow(Member& member, CallLock& lock, const Patience& patience, const IsCrowded& is_crowded) {
    begin_to_follow(member);
    lock.unlock();
    Step step;
    do step = next_step(member, patience, is_crowded(), step);
    while (member.follows() && !step.misses_leader);
    lock.lock();
    end_to_follow(member, step);
  }

  /// Some have been told and have not had the lock since.
  [[nodiscard]] bool has_told() const noexcept { return told_ != 0; }
  /// Of those, on a core that they share with the leader: whether it should let them go first, after so many rounds of
  /// its wait that have done nothing for itself.
  [[nodiscard]] bool told_should_go_first(std::uint32_t rounds) noexcept;
  /// The leader has found what it waits for before it had to let them go first.
  void note_told_waited() noexcept { vain_turns_ = 0; }

  /// How often one has been told.
  [[nodiscard]] std::uint64_t tells() const noexcept { return tells_; }
  /// How often a thread has begun to follow.
  [[nodiscard]] std::uint64_t joined() const noexcept { return joined_; }
  /// Threads that follow and do not sleep, and those that have been told and have not run since; without the lock.
  [[nodiscard]] std::uint32_t awake_followers() const noexcept {
    return awake_followers_.load(std::memory_order_relaxed);
  }

 private:
  /// How far a follower's wait is.
  struct Step {
    std::uint32_t looks = 0;
    std::int64_t since_ns = 0;
    std::uint32_t departures = 0;
    std::uint32_t word = Member::kNothing;  ///< the member's, unless it has been told
    bool has_slept = false;
    bool misses_leader = false;
  };
  static constexpr std::int64_t kSoonNs = 10'000;
  static constexpr std::int64_t kNapNs = 500'000;
  // Threads that share a core change places seldom, for that costs more than a message: when the one that has the core
  // finds nothing, and else after kTurnNs. It looks for that long only where that has paid lately.
  static constexpr std::uint32_t kRoundsInVain = 16;
  static constexpr std::uint32_t kVainTurns = 2;
  static constexpr std::uint32_t kTurnsPerTry = 8;
  static constexpr std::int64_t kTurnNs = 50'000;

  void begin_to_follow(Member& member) noexcept;
  void end_to_follow(Member& member, const Step& step) noexcept;
  /// Nobody leads since a thread left the lead, and for too long. Without the lock.
  [[nodiscard]] bool lacks_leader(std::int64_t now) const noexcept {
    const std::int64_t left = left_ns_.load(std::memory_order_relaxed);
    return left != 0 && now - left > soon_ns_;
  }
  /// Nobody leads: tells a follower to, unless one watches.
  void find_leader() noexcept;
  /// Spins, yields or sleeps.
  Step next_step(Member& member, const Patience& patience, bool is_crowded, Step step) noexcept;
  void sleep(Member& member, Step& step) noexcept;
  bool tell_those_who_may_go_on() noexcept;
  void tell(Member& member) noexcept;

  const std::int64_t soon_ns_;
  IntrusiveList<Member> followers_;
  Member* leader_ = nullptr;
  const void* leading_thread_ = nullptr;
  std::uint64_t joined_ = 0;
  std::uint64_t tells_ = 0;
  std::uint32_t told_ = 0;          ///< members that have been told and have not had the lock since
  std::int64_t told_since_ns_ = 0;  ///< 0: nobody has asked
  std::uint32_t vain_turns_ = 0;    ///< times in a row that a leader has let them go first and had found nothing
  bool comes_back_soon_ = true;     ///< who last left the lead with others behind, or the next one
  /// When a thread left the lead and nobody followed it; 0: somebody leads, or nobody has left it so.
  std::atomic<std::int64_t> left_ns_{0};
  std::atomic<std::uint32_t> departures_{0};  ///< how often that happened
  std::atomic<std::uint32_t> awake_followers_{0};
};

}  // namespace starling::progress
