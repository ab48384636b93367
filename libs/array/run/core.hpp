// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Core: one process of a session: its parts, put together. It hands each record to the part that it concerns, and is
// what parts see of their process (Host, Runtime).
//
// **Thread safety**: none; belongs to the thread of its session. **Invariants**: one for each thread.
#pragma once

#include <string>

#include "executor.hpp"
#include "futures.hpp"
#include "pending_work.hpp"
#include "population/arrays.hpp"
#include "population/collector.hpp"
#include "results.hpp"
#include "scheduler.hpp"
#include "signal_count.hpp"
#include "survival/asked_resize.hpp"
#include "survival/checkpoint.hpp"
#include "survival/resize.hpp"
#include "survival/runtime.hpp"
#include "survival/survival.hpp"

namespace starling::array::detail {

class Core final : public Sink, public Host, public Runtime {
 public:
  Core(Session& session, Communicator comm, mpi::Side side);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Arrays& arrays() { return arrays_; }
  Streams& streams() { return streams_; }
  Futures& futures() { return futures_; }
  Executor& executor() { return executor_; }
  Scheduler& scheduler() { return scheduler_; }
  Collector& collector() { return collector_; }
  Checkpoint& checkpoint() { return checkpoint_; }
  Survival& survival() { return survival_; }
  Resize& resize() { return resize_; }
  AskedResize& asked_resize() { return asked_resize_; }

  void vacate(bool wanted);
  void vacate_on(int signal);

  // Sink: dispatch.cpp.
  void handle(const Record& record) override;

  // Host.
  void invoke(Entry& entry, std::uint32_t method, Archive& arguments, const ReplyTo& reply) override {
    executor_.invoke(entry, method, arguments, reply);
  }
  void construct(Entry& entry, std::uint32_t constructor, Archive& arguments) override {
    executor_.construct(entry, constructor, arguments);
  }
  void unpack(Entry& entry, Archive& in) override { executor_.unpack(entry, in); }
  Entry* running() const override { return executor_.running(); }
  void call_back(const Callback& to, const char* bytes, std::size_t size) override {
    results_.call_back(to, bytes, size);
  }
  void reply(const ReplyTo& to, const char* bytes, std::size_t size, bool is_error) override {
    results_.reply(to, bytes, size, is_error);
  }
  void fail(const std::string& text) override;
  bool is_vacated() const override;
  void run_until(const std::function<bool()>& is_done) override { scheduler_.run_until(is_done); }
  void quiesce() override { scheduler_.quiesce(); }

  // Runtime.
  bool is_in_run() const override { return scheduler_.is_in_run(); }
  void run(const std::function<void()>& main) override;
  void run_once(const std::function<void()>& main) override { scheduler_.run_once(main); }
  void begin_anew(Communicator comm) override;
  void forget_elements() override;
  void change_comm(Communicator comm) override;
  Communicator exchange_comm(Communicator comm) override;

 private:
  friend class CoreDispatch;
  void compare_programs();
  void find_nodes();

  bool is_vacated_ = false;       // as the program says
  SignalCount vacating_signals_;  // each says the contrary
  Records records_;
  MessageQueue queue_;
  Futures futures_;  // before arrays_: elements that are destroyed drop their futures
  Streams streams_;
  Arrays arrays_;
  Collector collector_;
  Executor executor_;
  Results results_;
  PendingWork pending_;
  Survival survival_;
  Checkpoint checkpoint_;
  Resize resize_;
  AskedResize asked_resize_;
  Scheduler scheduler_;
};

}  // namespace starling::array::detail
