// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/record/lateness.hpp"

#include <algorithm>
#include <cstddef>

namespace starling::arrival {

double note_call(std::span<const double> entered_s, std::span<const double> left_s, std::span<Lateness> ranks) {
  const double first_came_s = *std::min_element(entered_s.begin(), entered_s.end());
  const double first_left_s = *std::min_element(left_s.begin(), left_s.end());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].came_s += entered_s[rank] - first_came_s;
    ranks[rank].left_s += left_s[rank] - first_left_s;
  }
  const auto last = std::max_element(entered_s.begin(), entered_s.end());
  double waited_s = 0;
  for (const double entered : entered_s) waited_s += *last - entered;
  std::vector<double> sorted(entered_s.begin(), entered_s.end());
  const auto median = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), median, sorted.end());
  Lateness& late = ranks[static_cast<std::size_t>(last - entered_s.begin())];
  ++late.last;
  late.behind_s += *last - *median;
  return waited_s / static_cast<double>(entered_s.size());
}

}  // namespace starling::arrival
