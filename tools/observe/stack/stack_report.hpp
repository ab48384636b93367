// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What is said of the stacks of a job: the trees of its main and of its other threads, and what could not be seen.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/model/snapshot.hpp"
#include "observe/stack/stack.hpp"

namespace starling::observe {

enum class StackDetail {
  kUsers,  ///< the user's functions (shortened.hpp); threads that sleep outside them are only counted
  kAll     ///< everything
};

/// ranks: those that are shown. Of a rank without stacks the line says what it does. snapshot: taken just before.
[[nodiscard]] std::string stack_report(const Snapshot& snapshot, const std::vector<RankStacks>& stacks,
                                       const std::vector<std::int32_t>& ranks, StackDetail detail);

}  // namespace starling::observe
