// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Inquest: which task was the end of a process. The rule: a process that dies while it is at one task was ended by that
// task. If it was at several, each is suspected and nobody is blamed; suspects are calculated alone in a process, and
// the one that ends that as well is blamed for both deaths, which clears the others. A suspect whose result comes is
// cleared. A task that was blamed once is calculated alone for ever.
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

class Inquest {
 public:
  struct Verdict {
    std::uint64_t task;
    int deaths;  ///< For which it is to blame, and was not before.
  };

  /// A process has died, at these tasks or one of them. Who is to blame, if that is certain.
  std::optional<Verdict> died_at(const std::vector<std::uint64_t>& tasks) {
    if (tasks.empty()) return std::nullopt;
    const auto known = std::find_if(tasks.begin(), tasks.end(), [&](std::uint64_t task) { return guilty(task); });
    if (tasks.size() > 1 && known == tasks.end()) {
      suspect(tasks);
      return std::nullopt;
    }
    const std::uint64_t task = known != tasks.end() ? *known : tasks.front();
    guilty_.insert(task);
    return Verdict{task, 1 + static_cast<int>(std::erase_if(cases_, [&](const Case& c) { return c.contains(task); }))};
  }
  /// One of these was the end of a process somewhere else.
  void suspect(const std::vector<std::uint64_t>& tasks) {
    if (!tasks.empty()) cases_.emplace_back(tasks.begin(), tasks.end());
  }
  /// Its result has come.
  void clear(std::uint64_t task) {
    if (cases_.empty()) return;
    for (Case& each : cases_) each.erase(task);
    std::erase_if(cases_, [](const Case& each) { return each.empty(); });
  }

  bool guilty(std::uint64_t task) const { return guilty_.contains(task); }
  /// Whether it must be calculated alone.
  bool suspected(std::uint64_t task) const {
    return guilty(task) || std::any_of(cases_.begin(), cases_.end(), [&](const Case& c) { return c.contains(task); });
  }

 private:
  using Case = std::unordered_set<std::uint64_t>;
  std::vector<Case> cases_;  ///< Deaths for which nobody is to blame yet.
  std::unordered_set<std::uint64_t> guilty_;
};

}  // namespace starling::farm
