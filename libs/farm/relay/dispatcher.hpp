// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Dispatcher: gives tasks to the child processes, as many as each has room for, and runs stragglers a second time where
// cores idle.
//
// Thread safety: the relay's thread.
#pragma once

#include "relay_context.hpp"

namespace starling::farm {

/// A task that is away for longer straggles; how often such tasks are looked for.
constexpr auto kStraggles = std::chrono::milliseconds(20);

class Dispatcher {
 public:
  explicit Dispatcher(const RelayContext& context) : context_(context) {}

  /// Gives tasks to every child that has room. False if none got any.
  bool dispatch();
  /// Gives these tasks to that child. `back` takes those whose data had to be fetched if it is no more there then;
  /// without it they are ready for anybody.
  void give(int rank, Child& child, Tasks& tasks, const RelayContext::Take& back = {});
  /// To another process than `but_not` if one calculates, else to this one's threads; nowhere if a copy is under way.
  void try_elsewhere(Task&& task, int but_not);
  /// Results of that child's tasks have come.
  void on_results(Child& child, const Tasks& results);
  /// The tasks that are away for longest are given to somebody else as well, if anybody idles.
  void run_stragglers_twice();

 private:
  bool dispatch_to(int rank, Child& child, std::uint64_t limit);
  void fetch_for(int rank, Child& child, Tasks& tasks, const RelayContext::Take& back);
  void on_fetched(int rank, Task&& task, const RelayContext::Take& back);
  void send(int rank, Child& child, Tasks& tasks);
  bool run_again(Tasks& copy, int has_it, int& idle_threads);
  bool give_to_idle(Tasks& tasks, int but_not);

  const RelayContext& context_;
  std::uint64_t order_ = 0;
  Clock::time_point stragglers_sought_;
};

}  // namespace starling::farm
