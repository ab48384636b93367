// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/model/words.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"

namespace starling::observe {
namespace {

/// Each stretch of neighbouring ranks; two neighbours are named one by one.
std::vector<std::pair<std::int32_t, std::int32_t>> stretches(std::span<const std::int32_t> ranks) {
  std::vector<std::pair<std::int32_t, std::int32_t>> found;
  for (const std::int32_t rank : ranks) {
    if (!found.empty() && found.back().second + 1 == rank)
      found.back().second = rank;
    else
      found.emplace_back(rank, rank);
  }
  return found;
}

}  // namespace

std::string join(std::span<const std::string> parts, const char* last_word) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? formatted(" {} ", last_word) : ", ";
    text += parts[i];
  }
  return text;
}

std::string rank_numbers(std::vector<std::int32_t> ranks, const char* last_word) {
  constexpr std::size_t kMostParts = 8;
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::vector<std::string> parts;
  std::size_t named = 0;
  for (const auto& [first, last] : stretches(ranks)) {
    if (parts.size() >= kMostParts) break;
    if (first == last) parts.push_back(formatted("{}", first));
    if (first + 1 == last) parts.insert(parts.end(), {formatted("{}", first), formatted("{}", last)});
    if (first + 1 < last) parts.push_back(formatted("{} to {}", first, last));
    named += static_cast<std::size_t>(last - first + 1);
  }
  if (named < ranks.size()) parts.push_back(formatted("{} more", ranks.size() - named));
  return join(parts, last_word);
}

std::string rank_names(std::vector<std::int32_t> ranks) {
  const char* const noun = ranks.size() == 1 ? "rank" : "ranks";
  return formatted("{} {}", noun, rank_numbers(std::move(ranks)));
}

std::string duration_text(std::int64_t ns) {
  constexpr double kNsPerSecond = 1e9;
  const double seconds = static_cast<double>(ns) / kNsPerSecond;
  if (seconds < 10) return formatted("{:.1f} s", seconds);
  if (seconds < 180) return formatted("{:.0f} s", seconds);
  if (seconds < 3 * 3600) return formatted("{:.0f} min", seconds / 60);
  return formatted("{:.0f} h", seconds / 3600);
}

}  // namespace starling::observe
