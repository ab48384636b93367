// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/delay_count.hpp"

#include <cstdint>
#include <set>

#include "observe/analysis/rank_graph.hpp"

namespace starling::observe {
namespace {

/// For whom others wait, and who does not wait himself.
std::set<std::int32_t> those_who_delay(const Snapshot& snapshot) {
  const std::size_t count = snapshot.ranks.size();
  const RankGraph graph(snapshot, std::vector<bool>(count, true), std::vector<bool>(count, false));
  std::set<std::int32_t> found;
  for (std::int32_t rank = 0; static_cast<std::size_t>(rank) < count; ++rank) {
    if (snapshot.rank(rank).activity != Activity::kWaiting || graph.waits_for_one(rank)) continue;
    for (const std::int32_t awaited : graph.awaited_ranks(rank)) {
      const Activity activity = snapshot.rank(awaited).activity;
      if (activity != Activity::kWaiting && activity != Activity::kElsewhere) found.insert(awaited);
    }
  }
  return found;
}

}  // namespace

void DelayCount::add(const Snapshot& snapshot) {
  alone_.resize(snapshot.ranks.size());
  const std::set<std::int32_t> late = those_who_delay(snapshot);
  if (late.empty()) return;
  ++with_waits_;
  if (late.size() == 1) ++alone_[static_cast<std::size_t>(*late.begin())];
}

void DelayCount::tell(JobEvidence& evidence) const {
  evidence.snapshots_with_waits = with_waits_;
  for (RankEvidence& rank : evidence.ranks) {
    const auto index = static_cast<std::size_t>(rank.rank);
    rank.awaited_alone = index < alone_.size() ? alone_[index] : 0;
  }
}

}  // namespace starling::observe
