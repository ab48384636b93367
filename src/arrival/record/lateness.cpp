// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/record/lateness.hpp"

#include <algorithm>
#include <cstddef>

namespace starling::arrival {

double note_last(std::span<const double> entered_s, std::span<Lateness> ranks) {
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
