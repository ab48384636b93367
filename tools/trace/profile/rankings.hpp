// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Rankings: the ranks that made others wait, with the functions in which they did; the pairs of ranks that talk most;
// the functions
// and the places in the program that take longest. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/profile/profile.hpp"

namespace starling::trace {

/// The ranks of a host, and the threads that ran or wanted to at a time.
struct HostLoad {
  std::uint64_t ranks = 0;
  double threads = 0;  ///< 0: not known
};
[[nodiscard]] HostLoad load_of(const Profile& profile, std::int32_t host);

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

/// "MPI_Barrier in iterate at solver.c:88".
[[nodiscard]] std::string call_site_text(const Profile& profile, const Profile::CallAt& at);
/// The places from which the calls are made that take the most time, the longest first.
[[nodiscard]] std::vector<Profile::CallAt> longest_call_sites(const Profile& profile);

/// The functions in which the most time is spent first.
[[nodiscard]] std::vector<std::uint32_t> longest_functions(const Profile& profile);

}  // namespace starling::trace
