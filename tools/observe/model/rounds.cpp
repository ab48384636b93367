// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/model/rounds.hpp"

#include <utility>

namespace starling::observe {
namespace {

bool lasts(Activity activity) { return activity == Activity::kWaiting || activity == Activity::kTesting; }

}  // namespace

Snapshot between_rounds(const Snapshot& earlier, Snapshot later) {
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
