// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Queue: the tasks between two kinds of threads. It has no thread of its own; how much goes in is bounded by who puts
// (task/window.hpp). Those who put and those who take have a list and a mutex each, which change places when the
// takers' is empty, so that they seldom meet. Takers that found it empty sleep lightly first: while tasks are short
// they are woken for a handful at a time, or look again by themselves soon, so that a task does not cost a wake-up.
//
// Thread safety: all of it.
// Invariants: first in, first out, but for what is put first. A thread that locks both mutexes locks the
// front's first.
// Source: Squyres, "Gazizza, Bill" (2001): data structures with accessors, active only in the threads that use them.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "bell.hpp"
#include "ring.hpp"
#include "task/task.hpp"

namespace starling::farm {

class Queue {
 public:
  /// `bell`, if there is one, is rung for everything that is put.
  explicit Queue(Bell* bell = nullptr) : bell_(bell) {}

  void put(Task&& task);
  void put(Tasks& batch);        ///< Empties it.
  void put_first(Tasks& batch);  ///< Before all others: what has to be done again. Empties it.

  /// Waits for tasks and takes up to `most` of them, leaving to `sharers` their parts. An empty `out` after poke().
  /// False after stop(), at once.
  bool take(Tasks& out, std::size_t most, std::size_t sharers);
  /// Takes up to `most` that are there, and never waits.
  void try_take(Tasks& out, std::size_t most);

  void poke();  ///< One taker returns with what is there, even if that is nothing.
  void stop();  ///< Nobody takes any more.

  /// How many tasks are worth a wake-up.
  void set_handful(std::size_t handful) { handful_.store(handful, std::memory_order_relaxed); }
  /// No handful is larger than this: a part of what may be under way, or those who put would wait for the taker.
  void set_most_handful(std::size_t most) { most_handful_.store(most, std::memory_order_relaxed); }
  std::size_t size() const {
    const std::size_t taken = taken_.load();  // first: it is never more than what is put later
    return put_.load() - taken;
  }
  int waiting() const { return light_.load(std::memory_order_relaxed) + deep_.load(std::memory_order_relaxed); }

 private:
  void added(std::size_t count);
  std::size_t handful() const {
    return std::min(handful_.load(std::memory_order_relaxed), most_handful_.load(std::memory_order_relaxed));
  }
  bool fill_front();
  void move_some(Tasks& out, std::size_t most);
  void sleep(std::unique_lock<std::mutex>& lock);

  Bell* bell_;
  std::mutex front_mutex_;  ///< Guards front_ and the two flags.
  std::condition_variable wake_;
  Ring front_;
  bool stopped_ = false;
  bool poked_ = false;
  // How many have ever been put and taken. Sequentially consistent, as the counts of sleepers: either who puts sees the
  // sleeper, or the sleeper sees what was put. What is counted as put is in one of the rings before.
  std::atomic<std::size_t> taken_{0};
  alignas(64) std::mutex back_mutex_;  ///< Guards back_.
  Ring back_;
  std::atomic<std::size_t> put_{0};
  std::atomic<std::size_t> handful_{1};
  std::atomic<std::size_t> most_handful_{~std::size_t{0}};
  alignas(64) std::atomic<int> light_{0};  ///< Takers that will look again soon by themselves.
  std::atomic<int> deep_{0};               ///< Takers that must be woken.
};

}  // namespace starling::farm
