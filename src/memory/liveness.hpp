// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Liveness: which ranks of the job are dead, on this node and on others: a bit for each world rank, in the node's job
// segment. A process stays dead. Written by publish_death (job_segment.hpp), read by every rank of the node.
// Thread safety: any thread of any process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/id.hpp"

namespace starling::memory {

class Liveness {
 public:
  static constexpr std::size_t kRanksPerWord = 64;

  explicit Liveness(std::span<std::atomic<std::uint64_t>> dead) noexcept : dead_(dead) {}

  /// Acquire: who sees the death sees what the dead rank had written before it.
  [[nodiscard]] bool is_dead(WorldRank rank) const noexcept {
    return (word_of(rank).load(std::memory_order_acquire) & bit_of(rank)) != 0;
  }
  /// True for the first that says so of this rank.
  bool set_dead(WorldRank rank) const noexcept {
    return (word_of(rank).fetch_or(bit_of(rank), std::memory_order_acq_rel) & bit_of(rank)) == 0;
  }

 private:
  [[nodiscard]] std::atomic<std::uint64_t>& word_of(WorldRank rank) const noexcept {
    return dead_[rank.index() / kRanksPerWord];
  }
  [[nodiscard]] static constexpr std::uint64_t bit_of(WorldRank rank) noexcept {
    return std::uint64_t{1} << (rank.index() % kRanksPerWord);
  }

  std::span<std::atomic<std::uint64_t>> dead_;
};

}  // namespace starling::memory
