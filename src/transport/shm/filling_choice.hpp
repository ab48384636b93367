// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FillingChoice: whether the buffers of larger packets are filled as the settings say, mostly past the cache, or all
// through it. Stores that ask nobody for a line go to memory, and what that costs beside two journeys between cores
// differs from machine to machine: a far core of an EPYC reads 4 KiB sooner past the cache (0.9 us instead of 2.4), one
// of a Xeon sooner through it (0.46 us instead of 0.7 in a stream); and to know whether there is a burst takes a look
// at the receiver's line. So each sender learns it for each receiver, for packets of each size by themselves. Where
// both ranks send they go the same way (tuning/paired_way.hpp): each postbox says how its buffer was filled.
//
// Thread safety: the sender's world lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/id.hpp"
#include "tuning/paired_way.hpp"

namespace starling::transport::shm {

class FillingChoice {
 public:
  using Ways = tuning::PairedWays<2048>;

  FillingChoice() noexcept = default;
  /// leads: of the two ranks that send to each other one.
  FillingChoice(LocalRank receiver, bool leads) noexcept
      : ways_(static_cast<std::uint32_t>(receiver.index()) * Ways::kSizes, leads) {}

  /// Whether the next packet goes through the cache, whatever the settings say.
  [[nodiscard]] bool is_through_cache(std::size_t bytes) noexcept { return ways_.of(bytes).next_is_second(); }
  /// The receiver, who had the choice, has sent such a packet that way.
  void hear(std::size_t bytes, bool through_cache) noexcept { ways_.of(bytes).hear(through_cache); }

 private:
  Ways ways_;
};

}  // namespace starling::transport::shm
