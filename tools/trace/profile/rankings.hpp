// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Rankings: the ranks that made others wait, with the functions in which they did; the pairs of ranks that talk most;
// the functions that take longest. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/profile/profile.hpp"

namespace starling::trace {

struct LateRank {
  struct In {
    std::uint32_t function = 0;
    Lateness lateness;
  };
  std::int32_t rank = kNoRank;
  Lateness all;
  std::vector<In> in;
};

[[nodiscard]] std::vector<LateRank> late_ranks(const Profile& profile);

struct PairTraffic {
  Profile::Pair pair;
  Traffic traffic;
};
/// The pairs that move the most bytes first.
[[nodiscard]] std::vector<PairTraffic> biggest_pairs(const Profile& profile);

/// The functions in which the most time is spent first.
[[nodiscard]] std::vector<std::uint32_t> longest_functions(const Profile& profile);

}  // namespace starling::trace
