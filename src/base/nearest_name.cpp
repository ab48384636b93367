// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/nearest_name.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace starling {
namespace {

/// The number of characters to insert, delete or replace that makes one of the other (Levenshtein's distance).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t previous = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = previous;
    }
  }
  return row[b.size()];
}

}  // namespace

NearestName::NearestName(std::string_view wanted) : NearestName(wanted, std::numeric_limits<std::size_t>::max()) {}

NearestName NearestName::within_reach(std::string_view wanted) {
  constexpr std::size_t kReach = 2;
  return {wanted, std::min(kReach, wanted.size() / 2) + 1};
}

void NearestName::offer(std::string_view name) {
  const std::size_t distance = edit_distance(wanted_, name);
  if (distance >= least_) return;
  least_ = distance;
  found_ = name;
}

}  // namespace starling
