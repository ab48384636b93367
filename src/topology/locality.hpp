// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where in the machine this process runs: for each level of hardware the object that holds all of the hardware threads
// it may use, read from the kernel's description in /sys. Without hwloc, because ranks ask, not only the launcher.
//
// Objects are named by a number that is the same for every process of the machine. Who compares processes of several
// machines tells these apart by Locality::node.
// Thread safety: no shared state. Cost: some small reads for each hardware thread of the affinity mask.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace starling::topology {

/// From the largest to the smallest.
enum class Level : std::uint8_t { kPackage, kNuma, kL3, kL2, kL1, kCore, kThread };
inline constexpr std::size_t kLevels = 7;

/// hwloc's name of the level, as in MPI's hardware resource types: "Package", "NUMANode", "L3Cache", ...
[[nodiscard]] const char* name(Level level) noexcept;
/// The level of that name, with or without "hwloc://" before it; of "Socket" and "PU" as well.
[[nodiscard]] std::optional<Level> level_named(std::string_view name) noexcept;

struct Locality {
  static constexpr std::int32_t kNone = -1;  ///< spread over several objects of the level, or not known

  std::array<std::int32_t, kLevels> object{kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  std::int32_t node = 0;  ///< of those that the compared processes run on; numbers of objects count within a node

  [[nodiscard]] std::int32_t at(Level level) const noexcept { return object[static_cast<std::size_t>(level)]; }
};

/// Of the calling thread.
[[nodiscard]] Locality locality();

namespace internal {
/// Of whoever may use these hardware threads, by the description below root, which really is /sys/devices/system.
[[nodiscard]] Locality locality_of(std::span<const unsigned> threads, const std::string& root);
/// The numbers of a list such as "0-3,8,10-11".
[[nodiscard]] std::vector<unsigned> parse_list(std::string_view text);
}  // namespace internal

}  // namespace starling::topology
