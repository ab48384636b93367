// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Distance: how far apart two ranks are, by the closest thing that they share. Communication has other costs at each.
// Thread safety: constants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starling::tuning {

/// From the nearest to the farthest.
enum class Distance : std::uint8_t {
  kNear,     ///< they share a cache
  kFar,      ///< another cache of the same NUMA node
  kNuma,     ///< another NUMA node of the same package
  kNode,     ///< another package of the same node
  kNetwork,  ///< another node
};
inline constexpr std::size_t kDistances = 5;

/// As in tuning files.
inline constexpr std::array<std::string_view, kDistances> kDistanceNames = {"near", "far", "numa", "node", "network"};

[[nodiscard]] constexpr std::string_view name(Distance distance) noexcept {
  return kDistanceNames[static_cast<std::size_t>(distance)];
}

}  // namespace starling::tuning
