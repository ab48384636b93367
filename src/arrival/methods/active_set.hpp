// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The processes that take part in each round, found by merging the last round's with those that arrive: no priority
// queue (the paper's section 5.2), and rounds in which one process would sit alone are skipped (5.1).
//
// Thread safety: none; one owner.
// Invariants: members() are in the order of availability, ties by rank; all of them lie within one round length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arrival/schedule/pattern.hpp"

namespace starling::arrival {

class ActiveSet {
 public:
  explicit ActiveSet(const Pattern& pattern);

  /// Makes the next round with at least two members; false when only the root is left. Until then, leave() whoever is
  /// complete.
  bool next();
  void leave(int process) { complete_[static_cast<std::size_t>(process)] = 1; }

  [[nodiscard]] std::span<const int> members() const noexcept { return members_; }
  /// Those of members() that were in no round before.
  [[nodiscard]] std::span<const int> newcomers() const noexcept { return newcomers_; }
  [[nodiscard]] std::int64_t number() const noexcept { return number_; }
  [[nodiscard]] Ticks availability(int process) const { return available_[static_cast<std::size_t>(process)]; }

 private:
  bool before(int a, int b) const;
  void merge();
  void advance(Ticks time);

  Ticks round_length_;
  std::vector<Ticks> available_;
  std::vector<char> complete_;
  std::vector<int> awaiting_;  // in the order of arrival
  std::size_t next_awaiting_ = 0;
  std::vector<int> members_;
  std::vector<int> newcomers_;
  std::vector<int> scratch_;
  std::int64_t number_ = -1;
};

}  // namespace starling::arrival
