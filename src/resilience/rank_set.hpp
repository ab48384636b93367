// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankSet: a set of ranks of one communicator, one bit each. Thread safety: a value type.
// Invariants: all sets that meet in one call are of the same size; up to 64 ranks nothing is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starling::resilience {

class RankSet {
 public:
  explicit RankSet(std::int32_t ranks = 0) : rest_(words_for(ranks) - 1) {}

  /// Words that a set over so many ranks takes.
  [[nodiscard]] static std::size_t words_for(std::int32_t ranks) noexcept {
    return ranks <= 64 ? 1 : (static_cast<std::size_t>(ranks) + 63) / 64;
  }
  static RankSet everybody(std::int32_t ranks) {
    RankSet all(ranks);
    for (std::int32_t rank = 0; rank < ranks; ++rank) all.insert(rank);
    return all;
  }

  [[nodiscard]] std::size_t words() const noexcept { return 1 + rest_.size(); }
  [[nodiscard]] std::uint64_t word(std::size_t index) const noexcept { return index == 0 ? first_ : rest_[index - 1]; }
  [[nodiscard]] std::uint64_t& word(std::size_t index) noexcept { return index == 0 ? first_ : rest_[index - 1]; }

  [[nodiscard]] bool has(std::int32_t rank) const noexcept { return (word(place(rank)) & bit(rank)) != 0; }
  void insert(std::int32_t rank) noexcept { word(place(rank)) |= bit(rank); }

  [[nodiscard]] bool empty() const noexcept {
    for (std::size_t i = 0; i < words(); ++i) {
      if (word(i) != 0) return false;
    }
    return true;
  }
  void unite(const RankSet& other) noexcept {
    for (std::size_t i = 0; i < words(); ++i) word(i) |= other.word(i);
  }
  void intersect(const RankSet& other) noexcept {
    for (std::size_t i = 0; i < words(); ++i) word(i) &= other.word(i);
  }
  [[nodiscard]] bool contains(const RankSet& other) const noexcept {
    for (std::size_t i = 0; i < words(); ++i) {
      if ((other.word(i) & ~word(i)) != 0) return false;
    }
    return true;
  }
  friend bool operator==(const RankSet&, const RankSet&) = default;

 private:
  static std::size_t place(std::int32_t rank) noexcept { return static_cast<std::size_t>(rank) / 64; }
  static std::uint64_t bit(std::int32_t rank) noexcept { return std::uint64_t{1} << (rank % 64); }

  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> rest_;
};

}  // namespace starling::resilience
