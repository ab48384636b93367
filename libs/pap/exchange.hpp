// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One exchange of what all ranks predict and measured, behind the program's back.
//
// Thread safety: the program's thread and the helper thread share a Board through its lock. The helper calls MPI, so
// MPI must run with MPI_THREAD_MULTIPLE. Invariants: exchanges of one channel are started and finished in the same
// order on all ranks, one at a time. wait() is called once for each start(), so all ranks use the same vector for the
// same call.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace starling::pap {

/// What one rank tells the others: seconds on the clock that they share (clock_s of rank 0 of the channel).
struct Word {
  double predicted_s = 0;  ///< its next arrival at this kind of call
  double entered_s = 0;    ///< its last one
  double left_s = 0;       ///< the end of that call
};

class Exchange {
 public:
  explicit Exchange(MPI_Comm channel, int size) : channel_(channel), all_(static_cast<std::size_t>(size)) {}

 private:
  friend class Helper;
  enum class Stage { kIdle, kDue, kRunning, kDone };

  MPI_Comm channel_;
  Stage stage_ = Stage::kIdle;
  double due_s_ = 0;
  std::function<Word()> word_;
  Word mine_;
  std::vector<Word> all_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// The thread that runs exchanges while the program computes. It sleeps when there are none.
class Helper {
 public:
  Helper() = default;
  ~Helper() { stop(); }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  /// At `due_s`, or earlier if somebody waits, asks for the word and sends it to all.
  void start(Exchange* exchange, double due_s, std::function<Word()> word);

  /// Until the exchange is complete; what everybody said, in the order of ranks. Empty if none was started.
  const std::vector<Word>& wait(Exchange* exchange);

  /// Until the exchange, if any was started, is over; what was said is dropped.
  void finish(Exchange* exchange) { wait(exchange); }

  /// Completes what is under way and ends the thread.
  void stop();

 private:
  void run();
  bool advance(Exchange* exchange, double now_s);

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Exchange*> open_;
  bool stopping_ = false;
  std::thread thread_;
};

/// Seconds of the machine's monotonic clock.
double clock_s();

}  // namespace starling::pap
