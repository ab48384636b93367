// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The groups that a split makes: pure arithmetic on the colours and keys that the ranks of a group chose.
// Thread safety: no state. Source: MPI-5.0, 7.4.2 (MPI_Comm_split).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/group.hpp"

namespace starling::world {

/// The colour of a rank that becomes a member of no group.
inline constexpr std::int32_t kNoColor = -1;

struct Choice {
  std::int32_t color;
  std::int32_t key;
};

/// The ranks that chose the colour, in order of key and then of rank.
[[nodiscard]] std::vector<std::int32_t> members_of(std::span<const Choice> choices, std::int32_t color);

/// The colours that were chosen, each once, in rising order.
[[nodiscard]] std::vector<std::int32_t> colors_in(std::span<const Choice> choices);

/// The index of a colour among sorted ones.
[[nodiscard]] std::uint32_t place_of(std::int32_t color, std::span<const std::int32_t> colors);

}  // namespace starling::world
