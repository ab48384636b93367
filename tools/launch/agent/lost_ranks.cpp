// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/agent/lost_ranks.hpp"

#include <sys/types.h>

#include <csignal>

#include "base/format.hpp"

namespace starling::launch {

void LostRanks::give_up(const memory::JobSegment& segment, WorldRank rank) {
  constexpr std::int64_t kToEndByItselfNs = 100'000'000;
  for (LocalRank local{0}; local.index() < segment.ranks(); ++local.value) {
    if (segment.rank(local).home_rank != rank) continue;
    loop_.after(kToEndByItselfNs, [this, &segment, local] { end(segment, local); });
  }
}

void LostRanks::end(const memory::JobSegment& segment, LocalRank rank) {
  const memory::RankBlock& block = segment.rank(rank);
  const memory::RankState state = block.state.load(std::memory_order_acquire);
  const pid_t process = block.pid.load(std::memory_order_relaxed);
  // One that has come through MPI_Finalize has said goodbye to all; it is told of when its process ends.
  if (state != memory::RankState::kInitialized || process <= 0) return;
  say_(
      formatted("rank {} lives, but ranks of other hosts have lost the connection to it. It is killed, since all ranks "
                "have to know the same dead",
                block.home_rank.value));
  kill(process, SIGKILL);
}

}  // namespace starling::launch
