// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Losses: the ranks of other nodes that a rank of this node cannot reach any more: two bits for each world rank, in the
// node's job segment, behind those of Liveness. The ranks of a job that goes on note them, and its launcher takes them:
// a lost rank need not be dead, and all have to be told the same (Liveness). Thread safety: any thread of any process.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/id.hpp"
#include "memory/job_segment.hpp"

namespace starling::memory {

class Losses {
 public:
  enum class How : std::uint8_t {
    kEnd = 0,     ///< a connection has ended, or none can be made
    kSilence = 1  ///< its host does not answer
  };
  static constexpr std::size_t kRanksPerWord = 32;

  explicit Losses(std::span<std::atomic<std::uint64_t>> bits) noexcept : bits_(bits) {}

  void note(WorldRank rank, How how) const noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (2 * (rank.index() % kRanksPerWord) + static_cast<std::size_t>(how));
    // Release: whoever takes the loss is to see what this rank has written before.
    bits_[rank.index() / kRanksPerWord].fetch_or(bit, std::memory_order_release);
  }

  /// Calls function(rank, how) for each that was noted since the last call.
  template <typename Function>
  void take(const Function& function) const {
    for (std::size_t word = 0; word < bits_.size(); ++word) {
      if (bits_[word].load(std::memory_order_relaxed) == 0) continue;
      for (std::uint64_t left = bits_[word].exchange(0, std::memory_order_acquire); left != 0; left &= left - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(left));
        function(WorldRank(word * kRanksPerWord + bit / 2), bit % 2 == 0 ? How::kEnd : How::kSilence);
      }
    }
  }

 private:
  std::span<std::atomic<std::uint64_t>> bits_;
};

/// Of a node's segment.
[[nodiscard]] Losses losses_of(const JobSegment& segment) noexcept;

}  // namespace starling::memory
