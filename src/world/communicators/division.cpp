// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/division.hpp"

#include <algorithm>

namespace starling::world {

std::vector<std::int32_t> members_of(std::span<const Choice> choices, std::int32_t color) {
  std::vector<std::int32_t> members;
  for (std::size_t rank = 0; rank < choices.size(); ++rank) {
    if (choices[rank].color == color) members.push_back(static_cast<std::int32_t>(rank));
  }
  // Stable: equal keys keep the order of their ranks.
  std::stable_sort(members.begin(), members.end(), [&](std::int32_t a, std::int32_t b) {
    return choices[static_cast<std::size_t>(a)].key < choices[static_cast<std::size_t>(b)].key;
  });
  return members;
}

std::vector<std::int32_t> colors_in(std::span<const Choice> choices) {
  std::vector<std::int32_t> colors;
  for (const Choice& choice : choices) {
    if (choice.color != kNoColor) colors.push_back(choice.color);
  }
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  return colors;
}

std::uint32_t place_of(std::int32_t color, std::span<const std::int32_t> colors) {
  return static_cast<std::uint32_t>(std::lower_bound(colors.begin(), colors.end(), color) - colors.begin());
}

}  // namespace starling::world
