// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Search: which step comes next, so that one execution after the other goes through all that differ. Executions that
// differ only in the order of independent steps are the same, and but one of them is gone through to its end.
// Source: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996 (sleep sets).
// Thread safety: none.
#pragma once

#include <cstddef>
#include <vector>

#include "weak_memory/explorer/step.hpp"

namespace starling::weak {

class Search {
 public:
  /// The next step of this execution, of those that are possible now; null: others have gone on from here.
  const Step* choose(const std::vector<Step>& possible);
  /// Another execution. False: there is none left.
  bool next();
  /// The execution of a moment ago once more.
  void repeat() noexcept { depth_ = 0; }
  void restart();
  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }

 private:
  struct State {
    std::vector<Step> options;
    std::vector<Step> asleep;  ///< what need not be gone on with from here
    std::size_t chosen = 0;
  };

  std::vector<State> states_;  ///< on the way of this execution
  std::size_t depth_ = 0;
};

}  // namespace starling::weak
