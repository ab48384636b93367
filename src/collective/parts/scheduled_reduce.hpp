// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the clairvoyant algorithms share: the reduce along a schedule, and its price.
//
// Thread safety: the holder of the world's lock. Source: /docs/design/arrival.md.
#pragma once

#include <cstdint>
#include <span>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"

namespace starling::collective {

/// To whom, and of whom.
struct ScheduledReduce {
  std::int32_t root;
  void* result;                                ///< counts at the root
  std::span<const std::int32_t> members = {};  ///< none: all ranks; else those, the root and the caller among them
};

/// To any root, along the schedule that all members make from the same expected arrivals.
Task reduce_by_schedule(Call& call, const Arguments& a, const ScheduledReduce& reduce);

/// Behind a late rank only its own segments flow; balanced, a pipeline down a tree.
double clairvoyant_cost(const Shape& shape, const Machine& machine) noexcept;
inline constexpr const char* kClairvoyantCost = "(s - 1 + log2(p)) * (alpha + m / s * (beta + gamma)); s + 1 when late";

}  // namespace starling::collective
