// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The progress engine: every call that enters the library moves every message that can move, and every blocking call
// waits here, in one loop that spins, then yields, then sleeps.
//
// The loop decides from the cores that the job may really use: while no more ranks are awake than there are cores it
// spins, because no other rank wants the core; with more it yields at once and soon sleeps. A sleeper carries the cost
// of sleeping: it announces itself, makes every sender's earlier stores visible with membarrier, looks again and waits
// on its doorbell. A sender only reads one word that is nearly always in its cache. A call that returns at once looks:
// one round, and after many that found nothing it yields by the same rule (Looks). Of several threads that wait one
// makes the rounds (WaitTeam). Source: Sun HPC ClusterTools, "Sun MPI Implementation", sections Yielding and
// Descheduling, Progress Engine.
//
// Thread safety: under MPI_THREAD_MULTIPLE every public call but lock() needs the lock; wait() gives it up while idle,
// and look() may give it up at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu.hpp"
#include "base/id.hpp"
#include "base/status.hpp"
#include "config/config.hpp"
#include "memory/job_segment.hpp"
#include "observe/awaited.hpp"
#include "progress/bells.hpp"
#include "progress/call_lock.hpp"
#include "progress/core_share.hpp"
#include "progress/looks.hpp"
#include "progress/own_card.hpp"
#include "progress/rests.hpp"
#include "progress/wait_mode.hpp"
#include "progress/wait_team.hpp"
#include "transport/wake_source.hpp"

namespace starling::progress {

[[nodiscard]] Result<WaitMode> parse_wait_mode(const std::string& text);

/// The mode that STARLING_WAIT names; an engine made from a configuration where this fails waits as with "auto".
[[nodiscard]] Result<WaitMode> configured_wait_mode(const config::Store& config);

/// Something that can move: a transport, a running collective, an agent.
class Poller {
 public:
  /// Moves what can move without blocking; returns whether anything did.
  virtual bool poll() = 0;

  // What a thread asks that serves ranks of other nodes while the rank computes (ProgressThread).
  [[nodiscard]] bool serves_far_ranks() const noexcept { return serves_ == Serves::kFarRanks; }
  /// Whether it waits for what a rank of this node does, who will ring the rank's doorbell.
  [[nodiscard]] virtual bool awaits_neighbours() const { return false; }

 protected:
  enum class Serves : std::uint8_t {
    kOwnRank,   ///< the rank's own calls
    kFarRanks,  ///< ranks of other nodes as well: poll() calls no function of the program's
  };
  explicit Poller(Serves serves = Serves::kOwnRank) noexcept : serves_(serves) {}
  ~Poller() = default;

 private:
  Serves serves_;
};

class DescriptorWaker;
class DescriptorWatch;
class ProgressThread;

/// Handles asynchronous events, which are rare and concern every rank: the death of a process, a revocation. Called at
/// the top of a poll, when no poller runs.
class AsyncEventHandler {
 public:
  virtual void handle_events() = 0;

 protected:
  ~AsyncEventHandler() = default;
};

/// The description of a wait of which only the kind is known.
template <observe::WaitKind kind>
struct Undescribed {
  observe::Wait operator()() const noexcept { return observe::Wait(kind); }
};

/// The describe() of a wait, of whatever type.
class Description {
 public:
  template <typename Describe>
  explicit Description(const Describe& describe) noexcept
      : describe_(&describe),
        ask_([](const void* asked) -> observe::Wait { return (*static_cast<const Describe*>(asked))(); }) {}
  observe::Wait operator()() const { return ask_(describe_); }

 private:
  const void* describe_;
  observe::Wait (*ask_)(const void*);
};

class Engine {
 public:
  /// rank: its rank on its node, whose segment this is.
  Engine(memory::JobSegment& segment, LocalRank rank, const config::Store& config);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void add(Poller& poller) {
    pollers_.back() = &poller;
    pollers_.push_back(nullptr);
  }
  /// successor: takes its place; null: nobody does.
  void remove(Poller& poller, Poller* successor = nullptr);

  /// Another doorbell that others ring for this rank, in a segment beside the job's. A sleep ends when any bell rings.
  void add_bell(memory::Doorbell& bell);
  void remove_bell(memory::Doorbell& bell);

  /// What wakes this rank beside its doorbells, while it sleeps: a helper thread watches it from the first sleep on.
  void add_wake_source(transport::WakeSource& source);
  void remove_wake_source(transport::WakeSource& source);

  /// The handler of the job's events (JobHeader::events) and of those that announce_event() announces; null: none.
  void set_event_handler(AsyncEventHandler* handler) noexcept { event_handler_ = handler; }
  /// There is an event in this process; the next poll handles it.
  void announce_event() noexcept { events_seen_ = header_.events.load(std::memory_order_relaxed) - 1; }

  /// One round over all pollers.
  bool poll() { return round(); }

  /// Polls until done() holds. done is called with the lock held, before the first poll and after each, by this thread
  /// or by another one of the rank that waits; it may be called again after it has held, so it must not change what it
  /// looks at. A wait that lasts asks describe(), an observe::Wait, for the status card: once, and again after it has
  /// moved something.
  template <typename Done, typename Describe = Undescribed<observe::WaitKind::kOther>>
  void wait(Done&& done, Describe&& describe = {}) {
    if (done()) return;
    if (!threaded_) [[likely]]
      return poll_until(done, describe);
    wait_in_team(Condition(done), Description(describe));
  }

  /// One round for a call that returns whether or not it finds anything; returns found(moved), called once after the
  /// round, which moved something or not. `looks` are the calling thread's; places: see Looks::end_at. A row of looks
  /// that lasts asks describe(), an observe::Wait, for the status card.
  template <typename Found, typename Describe = Undescribed<observe::WaitKind::kTestLoop>>
  bool look(Looks& looks, std::size_t places, Found&& found, Describe&& describe = {}) {
    looks.begin();
    const bool moved = round();
    const bool is_found = found(moved);
    if (moved || is_found) own_card_.end_row();
    // Of several threads each waits for something of its own.
    if (is_found || (moved && !threaded_)) {
      looks.found();
    } else {
      if (looks.missed() && end_row(looks, places)) [[unlikely]] {
        // With threads the lock may have been given up, and what it describes may be gone.
        own_card_.begin_row(looks, threaded_ ? observe::Wait(observe::WaitKind::kTestLoop) : describe());
      }
      // Who looks in vain comes again: those who want the lock for more go first.
      if (threaded_ && lock_.wanted()) [[unlikely]]
        lock_.hand_over();
    }
    return is_found;
  }
  /// Turns the lock on: several threads will call.
  void set_threaded() noexcept {
    threaded_ = true;
    locks_ = true;
    own_card_.set_flag(observe::StatusCard::kThreads);
  }
  /// Turns the lock on for the engine's own thread alone, which lets the rank's calls go first. No call runs.
  void set_locked() noexcept { locks_ = true; }
  void lock() {
    if (locks_) lock_.lock();
  }
  void unlock() {
    if (!locks_) return;
    team_.tell_followers();  // the call may have done what they wait for
    lock_.unlock();
  }

  /// For a call that returns without a wait and that a program may repeat until something happens elsewhere: one round;
  /// when that moves nothing, the rank gives its core away.
  void let_others_on();

  /// Makes sleeping threads of this rank look again; for a condition that another thread makes true outside a poll.
  void wake_own_threads() noexcept;

  /// Changes how this rank waits, at once for waits that are under way.
  void set_wait_mode(WaitMode mode) noexcept { mode_ = mode; }
  [[nodiscard]] WaitMode wait_mode() const noexcept { return mode_; }
  /// Takes STARLING_WAIT and STARLING_WAIT_... from a configuration; the mode stays when the text is not understood.
  void configure(const config::Store& config);

  [[nodiscard]] memory::JobSegment& segment() noexcept { return segment_; }
  [[nodiscard]] LocalRank local_rank() const noexcept { return local_rank_; }
  [[nodiscard]] observe::StatusCard& card() noexcept { return own_card_.card(); }
  /// Who hears of what the rank does.
  [[nodiscard]] Listeners& listeners() noexcept { return own_card_.listeners(); }

 private:
  friend class ProgressThread;  // sleeps on the doorbell without wait(), and arms what else wakes the rank

  enum class Next : std::uint8_t { kPollAgain, kSleep };

  bool handle_events();

  /// poll(), a part of those who wait for each round: the call would cost a third of it.
  [[gnu::always_inline]] bool round() {
    bool moved = false;
    // Relaxed: handle_events() looks again with acquire.
    if (header_.events.load(std::memory_order_relaxed) != events_seen_) [[unlikely]]
      moved = handle_events();
    // By index: a poller may add another.
    for (std::size_t i = 0; Poller* const poller = pollers_[i]; ++i) moved |= poller->poll();
    if (moved && locks_) [[unlikely]]
      wake_own_threads();
    return moved;
  }

  /// How long a wait has found nothing.
  struct Idle {
    std::uint32_t polls = 0;
    std::uint32_t next_look = 1;  ///< after how many polls the state of the wait is looked at
    bool pauses = false;          ///< a pause instruction between the polls
    std::int64_t since_ns = 0;

    std::int64_t waited_ns(std::int64_t now) noexcept;
  };

  /// What to do after a poll that found nothing; spins and yields by itself.
  Next idle_step(Idle& idle) {
    if (idle.pauses) cpu_relax();
    if (++idle.polls < idle.next_look) [[likely]]
      return Next::kPollAgain;
    return take_stock(idle);
  }

  template <typename Done, typename Describe>
  void poll_until(const Done& done, const Describe& describe) {
    Idle idle;
    LongWait on_card(own_card_);
    while (true) {
      const bool moved = round();
      if (done()) return;
      if (moved) {
        idle = Idle{};
        on_card.note_move();
        continue;
      }
      const Next next = idle_step(idle);
      if (idle.since_ns != 0 && on_card.needs_description(idle.polls, next == Next::kSleep)) [[unlikely]]
        on_card.describe(describe(), idle.since_ns);
      if (next == Next::kSleep) {
        bool may_sleep = true;
        Bells::Tickets tickets = announce_sleep(&may_sleep);
        // The last look: a sender that stores after it sees the announcement and rings.
        const bool moved_last = poll();
        if (moved_last) on_card.note_move();
        if (!moved_last && !done() && may_sleep) sleep(tickets);
        bells_.retract(tickets);
        idle = Idle{};
      }
    }
  }
  /// wait() where other threads of the rank may wait, too.
  void wait_in_team(Condition done, Description describe);

  /// Where ranks share cores.
  [[nodiscard]] std::uint32_t polls_before_yield() const noexcept {
    constexpr std::uint32_t kOnNode = 2;
    constexpr std::uint32_t kWithNetwork = 4;
    if (set_polls_ != 0) return set_polls_;
    return waker_ ? kWithNetwork : kOnNode;
  }
  Next take_stock(Idle& idle);
  Next look_spinning(Idle& idle);
  /// rests: of the row, where calls that return at once have found nothing for row_ns; null: a wait yields.
  void give_way(std::int64_t now, Rests* rests = nullptr, std::int64_t row_ns = 0);
  /// After a fruitless look that may end a row: yields when the caller seems to wait. True: the row has become long,
  /// and the card lacks it.
  bool end_row(Looks& looks, std::size_t places);

  /// may_sleep: nothing has come already to those that wake this rank beside its bells.
  Bells::Tickets announce_sleep(bool* may_sleep);
  /// Until a bell rings, and at most for most_ns (negative: no limit). The lock is given up meanwhile.
  void sleep(Bells::Tickets& tickets, std::int64_t most_ns = -1);

  memory::JobSegment& segment_;
  memory::JobHeader& header_;
  LocalRank local_rank_;
  std::unique_ptr<observe::Tracer> tracer_;
  OwnCard own_card_;
  AwakeRank awake_;
  CoreShare core_;
  Bells bells_;
  bool threaded_ = false;
  bool locks_ = false;
  bool wakes_group_ = false;
  WaitMode mode_ = WaitMode::kAuto;
  std::uint32_t events_seen_ = 0;  ///< of JobHeader::events; another number: there is something to handle
  AsyncEventHandler* event_handler_ = nullptr;
  std::vector<Poller*> pollers_{nullptr};   ///< null at the end: shorter to look for than to count
  std::unique_ptr<DescriptorWaker> waker_;  ///< null before there is a wake source
  std::int64_t idle_calls_since_ns_ = 0;    ///< the first of a row of let_others_on() that moved nothing; 0: none
  std::int64_t idle_call_ns_ = 0;           ///< the last of them
  Rests idle_rests_;                        ///< between them
  DescriptorWatch* sleeper_ = nullptr;      ///< what a progress thread sleeps on that a move has to wake; or null
  CallLock lock_;
  WaitTeam team_;
  std::int64_t spin_ns_ = 0;
  std::int64_t sleep_after_ns_ = 0;
  std::uint32_t set_polls_ = 0;  ///< as set, before a yield where ranks share cores
  std::int64_t oversubscribed_sleep_after_ns_ = 0;
};

}  // namespace starling::progress
