// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Stragglers: the tasks that run in two places because they took long, and which of them this process's own threads
// have.
//
// Thread safety: the relay's thread.
// Invariants: of a task that is here a result comes, or its failure, whatever becomes of the other one.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace starling::farm {

class Stragglers {
 public:
  /// here: one of the two is with the own threads.
  void add(std::uint64_t number, bool here) { here_.insert_or_assign(number, here); }
  bool contains(std::uint64_t number) const { return here_.contains(number); }
  bool here(std::uint64_t number) const {
    const auto found = here_.find(number);
    return found != here_.end() && found->second;
  }
  /// The own threads do not have it any more, without a result: its data have not come, its thread is left behind, or a
  /// child has got it.
  void leave(std::uint64_t number) {
    if (const auto found = here_.find(number); found != here_.end()) found->second = false;
  }

 private:
  std::unordered_map<std::uint64_t, bool> here_;
};

}  // namespace starling::farm
