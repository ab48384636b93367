// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How plans are put together: stretches, repetitions and sequences, merged where they continue each other.
// Knows nothing of datatypes. Thread safety: an object belongs to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "datatype/plan/plan.hpp"

namespace starling::datatype {

/// One stretch of memory.
[[nodiscard]] PlanRef plan_of_run(std::int64_t offset, std::int64_t bytes);

/// count repetitions of a node, stride bytes apart.
[[nodiscard]] PlanRef plan_of_repetition(std::int64_t count, std::int64_t stride, const PlanRef& body);

/// Collects parts in packed order and merges what it can.
class PlanSequence {
 public:
  void add(std::int64_t offset, std::int64_t count, std::int64_t stride, const PlanRef& body);
  [[nodiscard]] PlanRef finish();

 private:
  void add_run(std::int64_t offset, std::int64_t bytes);
  /// Takes over the runs of a node that has only a few.
  bool add_few_runs(std::int64_t offset, const PlanNode& node);
  /// Turns the runs collected so far into one part.
  void flush();

  std::vector<PlanRun> runs_;
  std::int64_t runs_bytes_ = 0;
  std::vector<PlanPart> parts_;
  std::int64_t position_ = 0;
};

}  // namespace starling::datatype
