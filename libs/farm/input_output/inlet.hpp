// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Inlet: the thread of an Input. Its host says how many more pieces may be given now, and takes them.
//
// Thread safety: wake(), wake_if_waiting(): any thread; the rest: one thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <starling/farm/program.hpp>
#include <thread>

#include "task/task.hpp"

namespace starling::farm {

/// Called by the Inlet's thread.
class InletHost {
 public:
  virtual ~InletHost() = default;
  /// How many more pieces may be given now.
  virtual std::uint64_t room() const = 0;
  /// How many are worth waking for.
  virtual std::uint64_t much_room() const = 0;
  /// Whether Input shall end.
  virtual bool over() const = 0;
  virtual void give(Task&& piece) = 0;
  /// Once, last; with what Input threw.
  virtual void input_has_ended(const std::exception_ptr& error) = 0;
};

class Inlet {
 public:
  Inlet(Program& program, InletHost& host, Place place) : program_(program), host_(host), place_(place) {}

  void start() {
    thread_ = std::jthread([this] { run(); });
  }
  void wake() { room_.notify_all(); }
  void wake_if_waiting() {
    if (waiting_.load(std::memory_order_relaxed)) room_.notify_one();
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    std::exception_ptr error;
    try {
      program_.start_input(place_);
      while (wait_for_room()) {
        Task piece;
        if (!program_.next(piece.value)) break;
        host_.give(std::move(piece));
      }
    } catch (...) {
      error = std::current_exception();
    }
    host_.input_has_ended(error);
  }

  /// True as soon as another piece may be given, false when Input shall end.
  bool wait_for_room() {
    if (host_.over()) return false;
    if (host_.room() > 0) return true;
    // Not woken for every task; looks by itself now and then, for the limit may have grown.
    std::unique_lock lock(mutex_);
    waiting_.store(true, std::memory_order_relaxed);
    while (!host_.over() && host_.room() < host_.much_room()) room_.wait_for(lock, std::chrono::milliseconds(5));
    waiting_.store(false, std::memory_order_relaxed);
    return !host_.over();
  }

  Program& program_;
  InletHost& host_;
  const Place place_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::atomic<bool> waiting_{false};
  std::jthread thread_;
};

}  // namespace starling::farm
