// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PoisonFinder: which task ended a process (a poison task). The rule: a process that dies while it calculates one task
// was ended by that task. If it calculated several, each is suspected and none is blamed; suspects are calculated
// alone in a process, and the one that ends that as well is blamed for both deaths, which clears the others. A suspect
// whose result comes is cleared. A task that was blamed once is calculated alone for ever.
//
// Thread safety: one thread.
// Invariants: no case is empty; a task that is blamed is in no case.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

namespace starling::farm {

class PoisonFinder {
 public:
  struct Finding {
    std::uint64_t task;
    int deaths;  ///< The task is to blame for them, and was not before.
  };

  /// A process has died while it calculated one of these tasks. The task to blame, if that is certain.
  std::optional<Finding> on_death(const std::vector<std::uint64_t>& tasks) {
    if (tasks.empty()) return std::nullopt;
    const auto known = std::find_if(tasks.begin(), tasks.end(), [&](std::uint64_t task) { return blamed(task); });
    if (tasks.size() > 1 && known == tasks.end()) {
      suspect(tasks);
      return std::nullopt;
    }
    const std::uint64_t task = known != tasks.end() ? *known : tasks.front();
    blamed_.insert(task);
    return Finding{task, 1 + static_cast<int>(std::erase_if(cases_, [&](const Case& c) { return c.contains(task); }))};
  }
  /// One of these ended a process elsewhere.
  void suspect(const std::vector<std::uint64_t>& tasks) {
    if (!tasks.empty()) cases_.emplace_back(tasks.begin(), tasks.end());
  }
  /// Its result has come.
  void clear(std::uint64_t task) {
    if (cases_.empty()) return;
    for (Case& each : cases_) each.erase(task);
    std::erase_if(cases_, [](const Case& each) { return each.empty(); });
  }

  bool blamed(std::uint64_t task) const { return blamed_.contains(task); }
  /// Whether it must be calculated alone.
  bool suspected(std::uint64_t task) const {
    return blamed(task) || std::any_of(cases_.begin(), cases_.end(), [&](const Case& c) { return c.contains(task); });
  }

 private:
  using Case = std::unordered_set<std::uint64_t>;  ///< One of these tasks ended one process.
  std::vector<Case> cases_;
  std::unordered_set<std::uint64_t> blamed_;
};

}  // namespace starling::farm
