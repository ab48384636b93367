// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/arrival_history.hpp"

namespace starling::collective {

void ArrivalHistory::construct() const {
  for (std::size_t index = 0; index < kKinds; ++index) {
    std::byte* base = of_kind(index).base_;
    new (base) Head;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      new (base + sizeof(Head) + rank * sizeof(arrival::Lateness)) arrival::Lateness;
      new (base + times_at(ranks_) + rank * sizeof(RankTimes)) RankTimes;
    }
    for (std::uint64_t call = 0; call < kPlans; ++call) {
      std::byte* plan = base + plans_at(ranks_) + call * plan_bytes(ranks_);
      new (plan) CallPlan;
      for (std::size_t rank = 0; rank < ranks_; ++rank) {
        new (plan + sizeof(CallPlan) + rank * sizeof(arrival::Ticks)) arrival::Ticks{0};
      }
    }
  }
}

}  // namespace starling::collective
