// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Outlet: an Output and the journal beside it. Where it is the only one and in the server, the server's thread calls
// it; otherwise it has a thread and a queue of its own.
//
// Thread safety: put() any thread; stop() and join() one thread; take() the thread that the Outlet has been given to.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <starling/farm/output_call.hpp>
#include <starling/farm/program.hpp>
#include <thread>
#include <vector>

#include "journal.hpp"
#include "queue/bell.hpp"
#include "task/task_name.hpp"

namespace starling::farm {

/// A result on its way to an Output.
struct Delivery {
  Task result;
  TaskName name;
};

/// Deliveries between two threads. Thread safety: all of it.
class Deliveries {
 public:
  explicit Deliveries(Bell* bell = nullptr) : bell_(bell) {}
  void put(Delivery&& delivery);
  /// What is there, without waiting.
  std::vector<Delivery> try_take();
  /// Waits for some; empty after stop().
  std::vector<Delivery> take();
  void stop();

 private:
  Bell* bell_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Delivery> all_;
  bool stopped_ = false;
};

class Outlet {
 public:
  /// Sets Output up, where it was left if a journal says so.
  Outlet(Program& program, Journal& journal, Place place, const Options& options, const std::string& journal_path,
         const std::function<void(const TaskName&)>& each);
  ~Outlet() { stop(); }

  /// Throws what Output or the journal throws.
  void take(Task& result, const TaskName& name);

  /// A thread of its own that calls `taken` for each, and `failed`, after which it takes nothing more.
  void start(std::function<void(std::uint64_t number)> taken, std::function<void(std::exception_ptr)> failed);
  void put(Delivery&& delivery) { deliveries_.put(std::move(delivery)); }
  void stop();

 private:
  void run(const std::function<void(std::uint64_t)>& taken);

  Program& program_;
  Journal& journal_;
  detail::OutputCall call_ = detail::OutputCall::kNone;
  Deliveries deliveries_;
  std::jthread thread_;
};

/// Where the Output number `index` of `count` notes what it has taken; the only one in the server uses the run's own.
std::string journal_path_of(const Options& options, int index);

}  // namespace starling::farm
