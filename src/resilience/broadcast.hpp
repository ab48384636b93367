// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Broadcast: the reliable broadcast of one word over the binomial graph, at one member. A member that receives the word
// for the first time passes it on to all neighbours and delivers it at once; it ignores later copies. So every survivor
// receives it whatever dies meanwhile, as long as the survivors' part of the graph is connected: always up to degree -
// 1 deaths, nearly always beyond (docs/reference/resilience.md has the measured share).
//
// No order, no uniformity: a member that delivers and dies may be the only one. Thread safety: as its owner.
// Source: Bouteiller, Bosilca, Dongarra, "Plan B: Interruption of Ongoing MPI Operations to Support Failure Recovery",
// EuroMPI 2015; Hadzilacos, Toueg, "Fault-Tolerant Broadcasts and Related Problems", 1993.
#pragma once

#include <cstdint>
#include <utility>

#include "resilience/binomial_graph.hpp"

namespace starling::resilience {

class Broadcast {
 public:
  [[nodiscard]] bool delivered() const noexcept { return delivered_; }
  /// The word came in a way that reaches every member, so there is nothing to pass on. True the first time.
  [[nodiscard]] bool take() noexcept { return !std::exchange(delivered_, true); }

  /// The word is here, from a neighbour or from this member itself. True the first time: deliver it; it has been passed
  /// to every neighbour by send(member).
  template <typename Send>
  bool hear(std::int32_t member, std::int32_t members, Send&& send) {
    if (delivered_) return false;
    delivered_ = true;
    for (const std::int32_t neighbor : binomial_neighbors(member, members)) send(neighbor);
    return true;
  }

 private:
  bool delivered_ = false;
};

}  // namespace starling::resilience
