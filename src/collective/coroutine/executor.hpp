// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Executor: what runs the collective coroutines of one rank. A coroutine that cannot go on leaves a Watch (a condition
// on shared memory) or waits for p2p requests; progress polls the executor, which resumes those that can go on. Nothing
// is ever resumed from inside a p2p continuation: continuations only queue. Thread safety: the holder of the world's
// lock.
#pragma once

#include <coroutine>

#include "base/intrusive_list.hpp"
#include "collective/coroutine/frame_pool.hpp"
#include "observe/listener.hpp"

namespace starling::collective {

class Call;

/// Something to do at the next poll.
struct ReadyItem : ListHook {
  using Action = void (*)(ReadyItem&);
  Action action = nullptr;

  ReadyItem() noexcept = default;
  ReadyItem(const ReadyItem&) = delete;
  ReadyItem& operator=(const ReadyItem&) = delete;
  /// An interrupted coroutine dies while it waits.
  ~ReadyItem() {
    if (linked()) [[unlikely]]
      unlink();
  }
};

/// A coroutine to resume at the next poll.
struct Resumption : ReadyItem {
  std::coroutine_handle<> coroutine;

  Resumption() noexcept { action = &resume; }

 private:
  static void resume(ReadyItem& item) { static_cast<Resumption&>(item).coroutine.resume(); }
};

/// A coroutine to resume once a condition holds.
struct Watch : Resumption {
  using Condition = bool (*)(Watch&);
  Condition holds = nullptr;
};

class Executor {
 public:
  [[nodiscard]] FramePool& pool() noexcept { return pool_; }

  /// The calls whose coroutines have had to wait (see Call::interrupt).
  [[nodiscard]] IntrusiveList<Call>& waiting_calls() noexcept { return waiting_calls_; }

  /// Who hears of the program's collectives; null: nobody.
  void set_listener(observe::Listener* listener) noexcept { listener_ = listener; }
  [[nodiscard]] observe::Listener* listener() const noexcept { return listener_; }

  void queue(ReadyItem& item) noexcept { ready_.push_back(item); }
  void watch(Watch& watch) noexcept { watched_.push_back(watch); }

  /// Resumes what can go on; returns whether anything could.
  bool poll() { return (!watched_.empty() || !ready_.empty()) && resume(); }

 private:
  bool resume();

  FramePool pool_;
  observe::Listener* listener_ = nullptr;
  IntrusiveList<Call> waiting_calls_;
  IntrusiveList<ReadyItem> ready_;
  IntrusiveList<Watch> watched_;
};

/// co_await Until{executor, condition}: goes on once condition() holds, without suspending if it does already.
template <typename Predicate>
class Until : private Watch {
 public:
  Until(Executor& executor, Predicate predicate) : executor_(executor), predicate_(predicate) {}

  bool await_ready() { return predicate_(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    coroutine = waiting;
    holds = [](Watch& watch) { return static_cast<Until&>(watch).predicate_(); };
    executor_.watch(*this);
  }
  void await_resume() const noexcept {}

 private:
  Executor& executor_;
  Predicate predicate_;
};

/// Lets coroutines through one at a time, in the order in which they came.
class Gate {
 public:
  class Entry : private Resumption {
   public:
    explicit Entry(Gate& gate) noexcept : gate_(gate) {}
    bool await_ready() noexcept {
      if (gate_.taken_) return false;
      gate_.taken_ = true;
      return true;
    }
    void await_suspend(std::coroutine_handle<> waiting) noexcept {
      coroutine = waiting;
      gate_.waiting_.push_back(*this);
    }
    void await_resume() const noexcept {}

   private:
    friend class Gate;
    Gate& gate_;
  };

  Entry enter() noexcept { return Entry(*this); }
  /// Whether a coroutine has gone through it and not left yet.
  [[nodiscard]] bool taken() const noexcept { return taken_; }

  /// Hands the gate to the next in line, which goes on at the next poll.
  void leave(Executor& executor) noexcept {
    if (Resumption* next = waiting_.pop_front()) {
      executor.queue(*next);
    } else {
      taken_ = false;
    }
  }

 private:
  bool taken_ = false;
  IntrusiveList<Resumption> waiting_;
};

/// One coroutine's way through a gate; it leaves when this dies.
class GateLock {
 public:
  GateLock(Gate& gate, Executor& executor) noexcept : gate_(gate), executor_(executor) {}
  ~GateLock() {
    if (entered_) gate_.leave(executor_);
  }
  GateLock(const GateLock&) = delete;
  GateLock& operator=(const GateLock&) = delete;

  Gate::Entry enter() noexcept {
    entered_ = true;
    return gate_.enter();
  }

 private:
  Gate& gate_;
  Executor& executor_;
  bool entered_ = false;
};

}  // namespace starling::collective
