// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PairedWay with a clock of its own: two ranks that send to each other find out what is good for both.
#include "tuning/paired_way.hpp"

#include <gtest/gtest.h>

#include "tuning/quicker_way.hpp"

namespace starling::tuning {
namespace {

std::uint64_t paired_time = 0;
std::uint64_t paired_clock() { return paired_time; }
using TwoWay = BasicPairedWay<BasicQuickerWay<&paired_clock, 64>>;

constexpr std::uint64_t kBefore = 3000;
constexpr std::uint64_t kMixed = 4000;
constexpr std::uint64_t kGained = 2000;

/// How many of so many exchanges went the second way in both directions, where only that is quicker.
int exchange(TwoWay& first, TwoWay& second, int exchanges) {
  int both = 0;
  for (int i = 0; i < exchanges; ++i) {
    const bool a = first.next_is_second();
    const bool b = second.next_is_second();
    first.hear(b);
    second.hear(a);
    paired_time += a != b ? kMixed : a ? kGained : kBefore;
    both += a && b ? 1 : 0;
  }
  return both;
}

TEST(PairedWays, FindWhatOnlyBothTogetherGain) {
  TwoWay leader(1, true);
  TwoWay follower(2, false);
  exchange(leader, follower, 5000);
  EXPECT_GE(exchange(leader, follower, 100'000), 95'000);
  TwoWay alone(1, true);
  TwoWay other(2, true);
  for (int i = 0; i < 1000; ++i, paired_time += kBefore) (void)alone.next_is_second();  // their trials do not coincide
  exchange(alone, other, 5000);
  EXPECT_LE(exchange(alone, other, 100'000), 5000) << "this case needs no pair";
}

TEST(PairedWays, LearnByThemselvesWhatNothingIsHeardOf) {
  TwoWay follower(1, false);
  follower.hear(true);
  int second = 0;
  for (int i = 0; i < 100'000; ++i) {
    const bool is_second = follower.next_is_second();
    second += is_second ? 1 : 0;
    paired_time += is_second ? kBefore : kGained;
  }
  EXPECT_GE(second, static_cast<int>(TwoWay::kHeardFor)) << "it does not do as it hears";
  EXPECT_LE(second, 3000) << "it does so for ever";
}

TEST(PairedWays, DoNotGoAWayThatIsForbidden) {
  TwoWay follower(1, false);
  follower.hear(true);
  follower.forbid_second();
  follower.hear(true);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(follower.next_is_second());
}

}  // namespace
}  // namespace starling::tuning
