// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/rank_processes.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/format.hpp"
#include "bootstrap/environment.hpp"
#include "observe/job/process_facts.hpp"

namespace starling::observe {

std::map<std::int32_t, pid_t> rank_processes(const memory::JobSegment& segment, pid_t worker,
                                             const std::vector<std::int32_t>& ranks) {
  std::map<pid_t, pid_t> by_own_number;
  for (const pid_t each : descendants_of(worker)) {
    if (process_runs(each)) by_own_number.emplace(own_number(formatted("/proc/{}", each)), each);
  }
  std::map<std::size_t, pid_t> started;  // by local rank
  for (const pid_t child : children_of(worker)) {
    const std::optional<std::string> rank = initial_variable(child, bootstrap::kRankVariable);
    if (rank && process_runs(child)) started[std::strtoul(rank->c_str(), nullptr, 10)] = child;
  }
  std::map<std::int32_t, pid_t> found;
  for (std::uint32_t i = 0; i < segment.ranks(); ++i) {
    const memory::RankBlock& block = segment.rank(LocalRank(i));
    const std::int32_t rank = block.home_rank.value;
    if (block.home_rank.is_none() || (!ranks.empty() && std::ranges::find(ranks, rank) == ranks.end())) continue;
    const pid_t own = block.pid.load(std::memory_order_relaxed);
    if (const auto place = by_own_number.find(own); own > 0 && place != by_own_number.end())
      found[rank] = place->second;
    if (const auto place = started.find(i); own <= 0 && place != started.end()) found[rank] = place->second;
  }
  return found;
}

}  // namespace starling::observe
