// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One exchange of what all ranks predict and what they saw of their last calls, behind the program's back.
//
// Thread safety: the program's thread and the exchange thread share each Exchange through the lock. The exchange thread
// calls MPI, so MPI must run with MPI_THREAD_MULTIPLE. Invariants: exchanges of one channel are started and finished in
// the same order on all ranks, one at a time. wait() is called once for each start(), so all ranks use the same vector
// for the same call.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "background.hpp"

namespace starling::pap {

/// A call as one rank saw it, in seconds on the clock that all share (clock_s of rank 0 of the channel).
struct Stay {
  double entered_s = 0;
  double left_s = 0;
};

/// What a rank expects of itself.
struct ExpectedArrival {
  double next_s = 0;        ///< when it comes next
  bool is_live = false;     ///< the program tells how far it is, so what it said may soon be otherwise
  bool has_failed = false;  ///< a call around late ranks ended by an error on it
};

/// What all ranks told each other at once: what each expects, and its last calls, the same number of each.
class ExchangedTimes {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return all_.size() / each_; }
  [[nodiscard]] std::size_t calls() const noexcept { return each_ / 2 - 1; }
  [[nodiscard]] ExpectedArrival expected(std::size_t rank) const {
    const auto flags = static_cast<unsigned>(all_[rank * each_ + 1]);
    return {all_[rank * each_], (flags & kLive) != 0, (flags & kFailed) != 0};
  }
  [[nodiscard]] Stay stay(std::size_t rank, std::size_t call) const {
    const std::size_t at = rank * each_ + 2 + 2 * call;
    return {all_[at], all_[at + 1]};
  }

 private:
  friend class ExchangeThread;
  static constexpr unsigned kLive = 1;
  static constexpr unsigned kFailed = 2;
  std::size_t each_ = 2;     // numbers of each rank: its expected arrival, then two for each call
  std::vector<double> all_;  // in the order of ranks
};

class Exchange {
 public:
  Exchange(MPI_Comm channel, int size) : size_(static_cast<std::size_t>(size)), allgather_(channel) {}

  /// MPI has failed in one: there are no more of them here. After wait(), by whoever waits.
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

 private:
  friend class ExchangeThread;
  enum class Stage { kIdle, kDue, kRunning, kDone };

  std::size_t size_;
  Stage stage_ = Stage::kIdle;
  double due_s_ = 0;
  std::function<ExpectedArrival()> ask_;
  std::vector<double> mine_;
  ExchangedTimes times_;
  Allgather allgather_;
  int tries_ = 0;  ///< in vain
  bool is_broken_ = false;
};

/// The thread that runs exchanges while the program computes. It sleeps when there are none.
class ExchangeThread {
 public:
  ExchangeThread() = default;
  ~ExchangeThread() { stop(); }
  ExchangeThread(const ExchangeThread&) = delete;
  ExchangeThread& operator=(const ExchangeThread&) = delete;

  /// At `due_s`, or earlier if somebody waits, asks what this rank expects, and tells that and its last calls to all.
  void start(Exchange* exchange, double due_s, std::span<const Stay> stays, std::function<ExpectedArrival()> ask);

  /// Until the exchange is complete; what everybody said, until the next start(). Empty if none was started, or MPI has
  /// failed in it.
  const ExchangedTimes& wait(Exchange* exchange);

  /// Completes what is under way and ends the thread.
  void stop();

 private:
  void run();
  bool advance(Exchange* exchange, double now_s);
  static bool break_off(Exchange* exchange);

  Lock lock_;
  Signal changed_;
  std::deque<Exchange*> open_;
  bool stopping_ = false;
  Thread thread_;
};

}  // namespace starling::pap
