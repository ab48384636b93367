// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Task: what goes around in a farm, first with an input and then with a result.
//
// Thread safety: owned by one thread at a time, passed on by moving.
#pragma once

#include <chrono>
#include <cstdint>
#include <starling/farm/value.hpp>
#include <vector>

namespace starling::farm {

/// All behind kGone only on their way to a server with several Inputs or Outputs, or with stages (server/router.hpp): a
/// new piece of an Input, that Input's end, that an Output has taken the result or cannot get it, the death of either,
/// and of a process that may have had results.
enum class TaskState : std::uint8_t {
  kInput,
  kResult,
  kFailed,
  kGone,  ///< Its data were lost with the process that had them.
  kPiece,
  kInputEnd,
  kTaken,
  kMissing,
  kInputDied,
  kOutputDied,
  kHolderDied,
};

struct Task {
  std::uint64_t number = 0;  ///< Unlike any other's of the run; in the order of Input where there is one alone.
  Value value;               ///< The input; the result; the text of the last error. Typed, or a Slice of packed bytes.
  std::uint64_t cost_ns = 0;
  std::uint16_t failures = 0;
  TaskState state = TaskState::kInput;
  bool away = false;        ///< The value is a Slice of a Parcel: where the data are.
  std::uint16_t input = 0;  ///< Which Input gave it, for kPiece and kInputEnd; which Input or Output died.
};

using Tasks = std::vector<Task>;

using Clock = std::chrono::steady_clock;

inline std::uint64_t ns_between(Clock::time_point from, Clock::time_point to) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(to - from).count());
}
inline double s_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace starling::farm
