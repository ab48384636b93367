// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Scheduler: the loop of a process. It decides what comes next, finds out together with the others when nothing is left
// to do, and ends a run.
//
// **Thread safety**: none; belongs to the thread of its session. **Invariants**: what a process posted to itself is
// handled before what comes from others, so that what came early is not overtaken.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "collective/quiescence.hpp"
#include "executor.hpp"
#include "futures.hpp"
#include "pending_work.hpp"
#include "population/arrays.hpp"
#include "population/collector.hpp"
#include "survival/survival.hpp"

namespace starling::array::detail {

class Scheduler {
 public:
  Scheduler(Host& host, Arrays& arrays, Executor& executor, Futures& futures, PendingWork& pending,
            const Survival& survival, Collector& collector);

  bool is_in_run() const { return is_in_run_; }
  /// Whether a run ended by an error, and so on every process: others may send yet, or have sent, what nobody took in.
  bool has_failed() const { return has_failed_; }
  /// No message is queued and no record is kept, as far as this process knows.
  bool is_idle() const;

  /// Until nothing is left to do; throws Loss where a process died.
  void run_once(const std::function<void()>& main);
  /// Process 0, from main.
  void quiesce();
  void run_until(const std::function<bool()>& is_done);
  /// Main: until the future is ready.
  void wait_for(std::uint32_t slot);
  /// Tells that place when nothing is left to do but to wait for that.
  void request_quiet(Callback to);
  /// Other processes.
  void renew();

  void handle_exit(const Record& record);
  void handle_quiet_request(const Record& record);
  void handle_quiet_ask(const Record& record);
  void handle_quiet_tell(const Record& record) { quiescence_.told(record); }

 private:
  bool step();
  void send_landings();
  void rest();
  void report_lost_process();
  void search_quiet(Quiescence::Search search);
  /// Everybody leaves run(); with a text, by an Error.
  void leave_run(const std::string& error);
  bool has_waiting_reductions() const;
  void report_overdue();
  Quiescence new_quiescence();

  Host& host_;
  Arrays& arrays_;
  Executor& executor_;
  Futures& futures_;
  PendingWork& pending_;
  const Survival& survival_;
  Collector& collector_;
  Quiescence quiescence_;
  bool is_in_run_ = false;
  bool is_exiting_ = false;
  bool has_failed_ = false;  // a run of these processes
  std::uint32_t run_ = 0;    // its number since there are these processes
  bool may_block_ = true;    // until something arrives
  std::string exit_error_;
  /// How runs to come ended, by their numbers, before this process was in them: others may be several runs ahead that
  /// failed, and its part in the last search of one may have been over before it was in it. Empty: well.
  std::map<std::uint32_t, std::string> early_exits_;
};

}  // namespace starling::array::detail
