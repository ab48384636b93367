// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Domains: which rank reads and writes which part of the file in a collective access, and whether that is worth it.
//
// Every rank computes the same from what all have told. Source: Thakur, Gropp, Lusk, "Data Sieving and Collective I/O
// in ROMIO", Frontiers 1999 (two-phase I/O). Thread safety: value types.
#pragma once

#include <cstdint>
#include <vector>

#include "io/disk/posix_file.hpp"
#include "io/settings/hints.hpp"

namespace starling::io {

/// What a rank tells of its access.
struct AccessShare {
  FileRange range;
  std::int64_t bytes = 0;
  std::int64_t run_bytes = 0;   ///< of a typical stretch of the file; all bytes when there is only one
  std::int64_t file_bytes = 0;  ///< size of the file as this rank sees it; rank 0's counts
  std::int32_t can_share = 1;   ///< 0: atomic, or the data do not ascend
  std::int32_t padding = 0;
};
static_assert(sizeof(AccessShare) == 48, "shares travel between ranks");

/// Whether the ranks' data interleave in pieces so small that exchanging them is cheaper than many system calls.
[[nodiscard]] bool pays_to_share(const std::vector<AccessShare>& shares, Buffering wish) noexcept;

class Domains {
 public:
  /// aggregators: their ranks, in the order of their parts of the file.
  Domains(const std::vector<AccessShare>& shares, const CollectiveHints& hints, std::vector<std::int32_t> aggregators);

  [[nodiscard]] std::int32_t aggregators() const noexcept { return static_cast<std::int32_t>(aggregators_.size()); }
  [[nodiscard]] std::int32_t rank_of(std::int32_t aggregator) const noexcept {
    return aggregators_[static_cast<std::size_t>(aggregator)];
  }
  /// The aggregator that a rank is, or -1.
  [[nodiscard]] std::int32_t aggregator_of(std::int32_t rank) const noexcept;
  [[nodiscard]] std::int64_t rounds() const noexcept { return rounds_; }
  /// What an aggregator moves in a round; empty when there is nothing.
  [[nodiscard]] FileRange window(std::int32_t aggregator, std::int64_t round) const noexcept;

 private:
  FileRange all_;
  std::vector<std::int32_t> aggregators_;
  std::int64_t domain_bytes_;
  std::int64_t window_bytes_;
  std::int64_t rounds_;
};

}  // namespace starling::io
