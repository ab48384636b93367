// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/arrival_history.hpp"

namespace starling::collective {

void ArrivalHistory::construct() const {
  new (base_) Head;
  for (std::size_t rank = 0; rank < ranks_; ++rank) new (base_ + sizeof(Head) + rank * sizeof(RankTimes)) RankTimes;
  for (std::size_t place = 0; place < kPlans; ++place) {
    std::byte* plan = base_ + plans_at(ranks_) + place * plan_bytes(ranks_);
    new (plan) CallPlan;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      new (plan + sizeof(CallPlan) + rank * sizeof(arrival::Ticks)) arrival::Ticks{0};
    }
  }
  for (std::int32_t index = 0; index < static_cast<std::int32_t>(kKinds); ++index) {
    std::byte* kind = base_ + kind_at(index);
    new (kind) Kind;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      new (kind + sizeof(Kind) + rank * sizeof(arrival::Lateness)) arrival::Lateness;
      new (kind + away_in_kind(ranks_) + rank * sizeof(Away)) Away;
    }
  }
}

std::int32_t ArrivalHistory::replace_kind(const Key& key, double vector_s) const {
  std::int32_t oldest = 0;
  for (std::int32_t index = 1; index < static_cast<std::int32_t>(kKinds); ++index) {
    if (kind(index).last_call < kind(oldest).last_call) oldest = index;
  }
  Kind& place = kind(oldest);
  place = Kind{key, place.generation + 1, vector_s, 0, 0, {}};
  for (arrival::Lateness& rank : lateness(oldest)) rank = {};
  for (Away& rank : away(oldest)) rank.ns.store(0, std::memory_order_relaxed);
  return oldest;
}

}  // namespace starling::collective
