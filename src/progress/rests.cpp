// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "progress/rests.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace starling::progress {
namespace {

constexpr std::int64_t kRestsFromNs = 1'000'000;
constexpr std::int64_t kNapsFromNs = 5'000'000;
constexpr std::int64_t kBetweenNapsNs = 1'000'000;
constexpr std::int64_t kBetweenSleepsNs = 50'000;
constexpr std::int64_t kPartOfRow = 16;

/// The processor time of this thread.
std::int64_t own_cpu_ns() noexcept { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace

Rests::How Rests::next(std::int64_t row_ns, std::int64_t now_ns, bool is_crowded) noexcept {
  if (row_ns < kRestsFromNs) return How::kYield;
  if (counts_from_ns_ == 0) {
    lacks_core_ = false;
    end_rest(now_ns);
  }
  const std::int64_t passed = now_ns - counts_from_ns_;
  if (passed >= kBetweenNapsNs) lacks_core_ = lacks_core_ || 4 * (own_cpu_ns() - cpu_ns_) < 3 * passed;
  if (is_crowded || lacks_core_) return passed >= kBetweenSleepsNs ? How::kSleep : How::kYield;
  return row_ns >= kNapsFromNs && passed >= kBetweenNapsNs ? How::kNap : How::kYield;
}

void Rests::end_rest(std::int64_t now_ns) noexcept {
  counts_from_ns_ = now_ns;
  cpu_ns_ = own_cpu_ns();
}

std::int64_t Rests::longest_sleep_ns(std::int64_t row_ns) noexcept {
  return std::min(row_ns / kPartOfRow, kLongestSleepNs);
}

}  // namespace starling::progress
