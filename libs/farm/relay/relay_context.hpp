// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What all parts of a relay use: the run's settings, the process's queues and threads, and the processes around it.
//
// Thread safety: the relay's thread; the queues and the bell all.
#pragma once

#include <functional>

#include "calculate/workers.hpp"
#include "children.hpp"
#include "depot/resolver.hpp"
#include "queue/queue.hpp"
#include "stragglers.hpp"
#include "tree/tree.hpp"
#include "wire/message.hpp"

namespace starling::farm {

struct RelayContext {
  const Options& options;
  Program& program;
  const Tree& tree;
  Bell& bell;
  Queue& ready;
  Queue& done;
  Workers& workers;
  const Slate& slate;
  Neighbors& neighbors;
  Children& children;
  Depot& depot;
  Resolver& resolver;
  Stragglers& stragglers;
  /// Large results stay with the processes below the root until an Output fetches them.
  bool results_stay;

  /// Calculate threads here and below.
  std::uint64_t threads() const { return static_cast<std::uint64_t>(workers.threads()) + children.threads(); }
  using Take = std::function<void(Task&&)>;
  /// Fetches its data and passes it on, with them or as TaskState::kGone.
  void fetch(Task&& task, Take then) const;
  /// The same; it is ready then, or lost.
  void fetch(Task&& task) const;
  /// Whether a child has the task, or the own threads one that straggled.
  bool is_elsewhere(std::uint64_t number) const { return children.hold(number) || stragglers.here(number); }
  /// Its data have gone. Who else has the same task got them in time, or will say so as well.
  void lose(Task&& task) const;
  /// The task has failed for good.
  void quarantine(Task& task, const std::string& why) const;
};

}  // namespace starling::farm
