// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PlacesChoice: in how much of its segments of a shared buffer a rank that is ahead of its readers (Pace::kAhead) lays
// its data out, with a core for every rank. In all of them it writes lines that went through the caches long ago; in
// few of them, lines that it and its reader still have. Which is quicker depends on the caches: on one machine 16
// places of 8 KiB took 1.6 times as long as two, on another 32 places took 0.65 times as long as 8. So each rank learns
// it for data of each size (tuning/quicker_way.hpp), and its flag says where they lie.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "collective/node/shared_buffer_layout.hpp"
#include "tuning/quicker_way.hpp"

namespace starling::collective {

class PlacesChoice {
 public:
  /// rank: of the shared buffer, so that ranks try at different times.
  explicit PlacesChoice(std::int32_t rank) noexcept {
    auto seed = static_cast<std::uint32_t>(rank) * kSizes;
    for (tuning::QuickerWay& way : ways_) way = tuning::QuickerWay(seed++);
  }

  /// Whether the next data go to few places. place: what they take, a power of two of bytes.
  [[nodiscard]] bool next_is_few(std::uint64_t place) noexcept {
    constexpr auto kSmallest = static_cast<std::uint64_t>(SharedBufferLayout::kSmallestPlaceBytes);
    const auto size = static_cast<std::size_t>(std::bit_width(place / kSmallest)) - 1;
    return ways_[std::min(size, kSizes - 1)].next_is_second();
  }

 private:
  static constexpr std::size_t kSizes = 8;  ///< 512 bytes, 1 KiB, and so on to 64 KiB

  std::array<tuning::QuickerWay, kSizes> ways_;
};

}  // namespace starling::collective
