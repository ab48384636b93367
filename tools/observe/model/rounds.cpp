// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/model/rounds.hpp"

#include <algorithm>
#include <utility>

namespace starling::observe {
namespace {

bool lasts(Activity activity) { return activity == Activity::kWaiting || activity == Activity::kTesting; }

/// What the ranks of a node have given that has not answered is not known.
void find_arrived(const Snapshot& earlier, Snapshot& later) {
  const auto is_unseen = [](const RankSnapshot& rank) { return rank.activity == Activity::kElsewhere; };
  const bool all_seen = std::ranges::none_of(later.ranks, is_unseen);
  for (std::size_t i = 0; i < later.ranks.size(); ++i) {
    const bool known = all_seen && i < earlier.ranks.size() && i < later.given.size();
    later.ranks[i].all_arrived = known && earlier.ranks[i].taken == later.given[i];
  }
}

}  // namespace

Snapshot between_rounds(const Snapshot& earlier, Snapshot later) {
  find_arrived(earlier, later);
  for (std::size_t i = 0; i < later.ranks.size(); ++i) {
    RankSnapshot& now = later.ranks[i];
    if (!lasts(now.activity)) continue;
    const bool known = i < earlier.ranks.size();
    if (known && earlier.ranks[i].activity == now.activity && earlier.ranks[i].steps == now.steps) continue;
    now.activity = Activity::kActive;
    now.quiet = false;
    now.wait = Wait();
    now.time_ns.reset();
  }
  return later;
}

}  // namespace starling::observe
