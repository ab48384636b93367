// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A process's part in a reduce around late processes, and who is expected first.
//
// Thread safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arrival/predict/cost.hpp"
#include "arrival/run/reduce_run.hpp"
#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"
#include "base/status.hpp"

namespace starling::arrival {

struct ReducePlan {
  Cut cut;
  std::vector<Step> steps;  ///< for a ReduceRun; those of the root contain no send
};

/// Of `count` elements. Fails alike on all processes, as all make it from the same arrivals.
[[nodiscard]] Result<ReducePlan> plan_reduce(std::span<const Ticks> arrivals, const Slicing& slicing, int count,
                                             int root, int rank);

/// The process that is expected first.
[[nodiscard]] int earliest(std::span<const Ticks> arrivals);

/// The process that is expected last, and those expected less than `margin` before it, at most `most` in all: in the
/// order of arrival, ties by rank. `arrivals` is not empty.
[[nodiscard]] std::vector<std::int32_t> last_ones(std::span<const Ticks> arrivals, Ticks margin, std::size_t most);

}  // namespace starling::arrival
