// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/roll_call.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "observe/analysis/rank_graph.hpp"
#include "observe/analysis/sentences.hpp"
#include "observe/model/words.hpp"

namespace starling::observe {
namespace {

/// "waits in MPI_Barrier number 5 for 2"
std::string waiting_text(const Snapshot& snapshot, const RankGraph& graph, std::int32_t rank) {
  std::string text = "waits in " + wait_text(snapshot, rank);
  if (const auto key = awaited_collective(snapshot, rank)) text += formatted(", its number {}", key->sequence);
  const std::vector<std::int32_t> awaited = graph.awaited_ranks(rank);
  if (awaited.empty()) return text;
  if (graph.waits_for_one(rank) && awaited.size() > 1) return text + ", for one of " + rank_numbers(awaited);
  return text + ", for " + rank_numbers(awaited);
}

}  // namespace

std::vector<RollCallLine> roll_call(const Snapshot& snapshot) {
  const std::size_t count = snapshot.ranks.size();
  const RankGraph graph(snapshot, std::vector<bool>(count, true), std::vector<bool>(count, false));
  std::vector<RollCallLine> lines;
  std::map<std::string, std::size_t> places;
  for (std::int32_t rank = 0; static_cast<std::size_t>(rank) < count; ++rank) {
    RankSnapshot timeless = snapshot.rank(rank);
    timeless.time_ns.reset();
    const bool waits = timeless.activity == Activity::kWaiting;
    const std::string text = waits ? waiting_text(snapshot, graph, rank) : doing_text(timeless);
    const auto [place, is_new] = places.try_emplace(text, lines.size());
    if (is_new) lines.push_back({{}, text, {}});
    RollCallLine& line = lines[place->second];
    line.ranks.push_back(rank);
    const std::optional<std::int64_t> time = snapshot.rank(rank).time_ns;
    if (time) line.longest_ns = std::max(line.longest_ns.value_or(0), *time);
  }
  return lines;
}

std::string roll_call_text(const Snapshot& snapshot, std::size_t most) {
  const std::vector<RollCallLine> lines = roll_call(snapshot);
  const std::size_t shown = std::min(lines.size(), most);
  std::vector<std::string> names;
  std::size_t width = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(rank_names(lines[i].ranks));
    width = std::max(width, names.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string time = lines[i].longest_ns ? " (" + duration_text(*lines[i].longest_ns) + ")" : std::string();
    const bool several = lines[i].ranks.size() > 1;
    text += formatted("  {:<{}}  {}{}\n", names[i], width, several ? plural(lines[i].text) : lines[i].text, time);
  }
  if (shown < lines.size()) text += formatted("  and {} lines more\n", lines.size() - shown);
  return text;
}

}  // namespace starling::observe
