// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Traffic: how many messages a rank has sent to each rank of the job, and how many bytes, for readers in other
// processes. A message counts when its send begins. Those of which collectives consist count as well; what a collective
// or a window passes on through memory that its ranks share does not.
//
// Thread safety: a row is written by its rank only, under the world's lock. Its words are no atomics: a relaxed load
// and store would be two instructions more for each of them, and a message has three in all. A reader in another
// process sees whole words, each of a moment of its own.
// Layout: TrafficCount[ranks of the node][columns], the same in every process of a job.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/id.hpp"

namespace starling::observe {

/// In shared memory.
struct TrafficCount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  void add(std::uint64_t message_bytes) noexcept {
    ++messages;
    bytes += message_bytes;
  }
  void take_back(std::uint64_t message_bytes) noexcept {
    --messages;
    bytes -= message_bytes;
  }
  /// What is there now; the writer may be another process.
  [[nodiscard]] TrafficCount read() const noexcept {
    return {__atomic_load_n(&messages, __ATOMIC_RELAXED), __atomic_load_n(&bytes, __ATOMIC_RELAXED)};
  }
};
static_assert(sizeof(TrafficCount) == 16);

class TrafficTable {
 public:
  /// Of a larger job the ranks from the last column on are counted together there.
  static constexpr std::uint32_t kMostColumns = 1024;

  [[nodiscard]] static constexpr std::uint32_t columns_for(std::uint32_t ranks, std::uint32_t world_ranks) noexcept {
    return std::min(std::max(ranks, world_ranks), kMostColumns);
  }
  [[nodiscard]] static constexpr std::uint64_t bytes(std::uint32_t ranks, std::uint32_t world_ranks) noexcept {
    return std::uint64_t{ranks} * columns_for(ranks, world_ranks) * sizeof(TrafficCount);
  }

  TrafficTable() = default;
  /// memory: of bytes(ranks, world_ranks), zero at first.
  TrafficTable(std::byte* memory, std::uint32_t ranks, std::uint32_t world_ranks) noexcept
      : counts_(reinterpret_cast<TrafficCount*>(memory)), columns_(columns_for(ranks, world_ranks)) {}

  /// What a rank of this node sends to a rank of the job.
  [[nodiscard]] TrafficCount& count(LocalRank from, WorldRank to) const noexcept {
    return counts_[from.index() * columns_ + std::min<std::size_t>(to.index(), columns_ - 1)];
  }
  [[nodiscard]] std::uint32_t columns() const noexcept { return columns_; }

 private:
  TrafficCount* counts_ = nullptr;
  std::uint32_t columns_ = 1;
};

}  // namespace starling::observe
