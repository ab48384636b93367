// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/predict/cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace starling::arrival {
namespace {

double tree_depth(int processes) { return processes <= 1 ? 0 : std::bit_width(static_cast<unsigned>(processes) - 1); }

/// Between samples on a line; beyond them on the line of the last two, before them in proportion to the smallest.
double interpolate(std::int64_t bytes, const Link& link, double LinkSample::*value) {
  if (bytes <= link.front().bytes) return link.front().*value;
  std::size_t right = 1;
  while (right + 1 < link.size() && link[right].bytes < bytes) ++right;
  const LinkSample& a = link[right - 1];
  const LinkSample& b = link[right];
  const double share = static_cast<double>(bytes - a.bytes) / static_cast<double>(b.bytes - a.bytes);
  return std::max(a.*value + share * (b.*value - a.*value), link.front().*value);
}

}  // namespace

double hop_s(std::int64_t bytes, const Link& link) { return interpolate(bytes, link, &LinkSample::hop_s); }

double plain_reduce_s(std::int64_t bytes, int processes, const Link& link) {
  return tree_depth(processes) * hop_s(bytes, link);
}

double scheduled_reduce_s(std::int64_t bytes, int processes, const Link& link, int segments) {
  const std::int64_t length = (bytes + segments - 1) / segments;
  return (segments - 1) * interpolate(length, link, &LinkSample::period_s) +
         tree_depth(processes) * hop_s(length, link);
}

Slicing slice(std::int64_t bytes, int processes, const Link& link, int most) {
  Slicing best;
  double least_s = 0;
  for (std::size_t i = 0; i <= link.size(); ++i) {
    const std::int64_t length = i < link.size() ? link[i].bytes : bytes;  // the last try: in one piece
    const std::int64_t wanted = length > 0 ? (bytes + length - 1) / length : 1;
    const int segments = static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max(1, most)));
    const double seconds = scheduled_reduce_s(bytes, processes, link, segments);
    if (least_s > 0 && seconds >= least_s) continue;
    least_s = seconds;
    best.segments = segments;
  }
  const std::int64_t length = (bytes + best.segments - 1) / best.segments;
  const double round_s = (interpolate(length, link, &LinkSample::period_s) + hop_s(length, link)) / 2;
  best.round_length = std::clamp<Ticks>(std::llround(1e9 * round_s), 1, kMaxTicks);
  return best;
}

}  // namespace starling::arrival
