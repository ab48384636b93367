// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// When the results that a relay has gathered go up in one message. It is asked only while the last one has left, so
// that messages grow with the load under every policy.
//
// Thread safety: pure.
#pragma once

#include <chrono>
#include <starling/farm/options.hpp>

#include "task/task.hpp"

namespace starling::farm {

/// What waits to go up, and what is still to come.
struct Gathered {
  std::size_t results;
  std::size_t bytes;
  Clock::duration age;    ///< Of the oldest result.
  std::size_t away;       ///< Tasks that this part of the tree has not answered.
  std::uint64_t threads;  ///< Of this part of the tree.
};

inline bool shall_go_up(Gather policy, const Gathered& gathered) {
  constexpr std::size_t kFullMessage = 32 * 1024;
  constexpr auto kOldestResult = std::chrono::microseconds(500);
  if (policy == Gather::kAtOnce || gathered.bytes >= kFullMessage || gathered.age >= kOldestResult) return true;
  // A quarter of what is away, or this part will soon want more to do.
  return policy == Gather::kByLoad && (gathered.results * 4 >= gathered.away || gathered.away < 2 * gathered.threads);
}

}  // namespace starling::farm
