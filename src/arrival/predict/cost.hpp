// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The cost model: what messages of some sizes were measured to take, and from it into how many segments a vector is
// best cut, how long a round is, and what a schedule can save.
//
// Thread safety: pure functions on value types.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "arrival/schedule/pattern.hpp"

namespace starling::arrival {

/// Messages of one size between processes that all send and receive at once.
struct LinkSample {
  std::int64_t bytes = 0;
  double hop_s = 0;     ///< one message alone, until it is there
  double period_s = 0;  ///< each of many in a row: at most hop_s, less where latency can be hidden
};

inline constexpr std::array<std::int64_t, 5> kSampledBytes = {4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10};

/// Samples in the order of size.
using Link = std::array<LinkSample, kSampledBytes.size()>;

struct Slicing {
  int segments = 1;
  Ticks round_length = 1;  ///< nanoseconds
};

/// The cut of a vector of `bytes`, into at most `most` segments, that lets it through soonest: its segments follow one
/// another at the period, the last through as many hops as the processes' tree is deep. A round lies between the
/// period, at which a process sends, and the hop, after which a segment can be sent on.
Slicing slice(std::int64_t bytes, int processes, const Link& link, int most);

/// A message of any size, alone.
double hop_s(std::int64_t bytes, const Link& link);

/// What the plain tree of whole vectors takes from the last arrival on.
double plain_reduce_s(std::int64_t bytes, int processes, const Link& link);

/// What a schedule takes from the last arrival on, when the predictions are right.
double scheduled_reduce_s(std::int64_t bytes, int processes, const Link& link, int segments);

}  // namespace starling::arrival
