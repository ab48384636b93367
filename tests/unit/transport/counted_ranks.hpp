// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The counts of the packets of all ranks of a test, which otherwise lie in the segments of their nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "observe/packet_counts.hpp"

namespace starling::transport {

class CountedRanks {
 public:
  explicit CountedRanks(std::int32_t ranks) : CountedRanks(static_cast<std::uint32_t>(ranks)) {}

  [[nodiscard]] observe::PacketCounts of(std::int32_t rank) const { return table_.of(LocalRank(rank)); }
  [[nodiscard]] std::uint32_t given(std::int32_t to) const { return table_.given(WorldRank(to)); }
  [[nodiscard]] std::uint32_t taken(std::int32_t rank) const { return table_.taken(LocalRank(rank)); }

 private:
  /// One rank more is elsewhere, or there would be no counts.
  explicit CountedRanks(std::uint32_t ranks)
      : memory_(observe::PacketTable::bytes(ranks, ranks + 1)), table_(memory_.data(), ranks, ranks + 1) {}

  std::vector<std::byte> memory_;
  observe::PacketTable table_;
};

}  // namespace starling::transport
