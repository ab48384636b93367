// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Workers: the Calculate threads of a process. Each takes a chunk of tasks, as many as take about 50 microseconds by
// what was measured, and gives their results at once.
//
// Thread safety: one thread makes it, starts more, joins and asks for stragglers; report() after join().
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <starling/farm/program.hpp>
#include <string>
#include <thread>
#include <vector>

#include "current_task.hpp"
#include "poison/slate.hpp"
#include "queue/queue.hpp"

namespace starling::farm {

enum class Results { kTyped, kPacked };  ///< Output is in this process, or elsewhere.

class Workers {
 public:
  struct Setting {
    int rank;
    int threads;  ///< At first.
    int attempts;
    Results results;
    std::function<void(Tasks& chunk)> fetch{};  ///< Brings data that are away; empty where none are.
  };

  Workers(Program& program, Queue& ready, Queue& done, Slate& slate, const Setting& setting);
  ~Workers() { join(); }

  /// That many more threads.
  void start(int threads);

  /// The queue of ready tasks has been stopped: waits for what is being calculated.
  void join();
  /// The same, for so long. False if something is still being calculated.
  bool join_for(std::chrono::milliseconds time);
  /// Takes tasks that are calculated for longer than that away from their threads. Those are left behind, for a thread
  /// cannot be ended, and others begin in their place. Calls `each` with the task: its input packed, and one failure
  /// more; without an input where Calculate takes it away. What else was in its chunk goes on.
  void take_overdue(std::chrono::nanoseconds limit, const std::function<void(Task&&)>& each);
  /// Calls `each` with a packed copy of every `wanted` task that was being calculated when this was called last and
  /// still is, unless one of its attempts failed. Nothing where Calculate takes its input away.
  void copy_stragglers(const std::function<bool(std::uint64_t number)>& wanted,
                       const std::function<void(Tasks&)>& each);
  NodeReport report() const;
  int threads() const { return threads_now_.load(std::memory_order_relaxed); }

 private:
  /// What a thread counts, on its own cache line.
  struct alignas(64) Count {
    std::uint64_t tasks = 0;
    std::uint64_t failures = 0;
    std::uint64_t busy_ns = 0;
    std::atomic<std::uint64_t>* slot = nullptr;  ///< Of the slate, if there is one.
    CurrentTask current;
    Tasks* chunk = nullptr;  ///< Of which the current task is one.
    // The thread that looks for overdue tasks:
    std::uint64_t watched = 0;
    Clock::time_point watched_since;
    bool left_behind = false;
  };

  void loop(int thread, Count& count);
  void finish(Tasks& chunk, std::size_t finished);
  void leave_behind(std::size_t thread, const Task& task, Task& copy);
  std::size_t work(Calculator* calculator, const std::string& broken, Tasks& chunk, Count& count);
  void run_one(Calculator* calculator, const std::string& broken, Task& task, Count& count) const;
  static Value calculate(Calculator& calculator, Task& task, Count& count);
  void give_back(Tasks& chunk, std::size_t finished);
  void try_again_later(Tasks& chunk);
  void pack(Tasks& chunk) const;
  void pack_result(Task& task, Buffer& bytes) const;
  void learn(std::uint64_t spent_ns, std::size_t count);
  std::size_t chunk_size() const;

  Program& program_;
  Queue& ready_;
  Queue& done_;
  Slate& slate_;
  const Setting setting_;
  std::atomic<int> threads_now_{0};
  const Clock::time_point started_ = Clock::now();
  std::atomic<std::uint64_t> mean_ns_{100'000};  ///< Moving average over all threads; a lost update does no harm.
  std::vector<std::shared_ptr<Count>> counts_;   ///< By thread, which keeps its own.
  std::vector<std::jthread> threads_;
  std::mutex mutex_;  ///< Guards running_.
  std::condition_variable ended_;
  int running_ = 0;
};

}  // namespace starling::farm
