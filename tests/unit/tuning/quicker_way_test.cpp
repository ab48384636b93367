// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// QuickerWay with a clock of its own: actions take what a case says, and the way has to be found out.
#include "tuning/quicker_way.hpp"

#include <gtest/gtest.h>

#include <random>

namespace starling::tuning {
namespace {

std::uint64_t test_time = 0;
std::uint64_t test_clock() { return test_time; }
using Way = BasicQuickerWay<&test_clock, 64>;

/// What an action takes.
struct Costs {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

/// How many of so many actions went the second way.
int act(Way& way, int actions, const Costs& costs) {
  int second = 0;
  for (int i = 0; i < actions; ++i) {
    const bool is_second = way.next_is_second();
    second += is_second ? 1 : 0;
    test_time += is_second ? costs.second : costs.first;
  }
  return second;
}

TEST(QuickerWays, AreLearnt) {
  Way way;
  act(way, 2500, {3000, 2000});
  EXPECT_GE(act(way, 100'000, {3000, 2000}), 98'000);
}

TEST(QuickerWays, AreTheFirstWhereNothingIsWon) {
  for (const std::uint64_t second : {2000, 1990, 2100, 3000, 200'000}) {
    Way way;
    act(way, 10'000, {2000, second});
    const int tried = act(way, 100'000, {2000, second});
    EXPECT_LE(tried, 1000) << second;
    EXPECT_GE(tried, 64) << "it never tries again, " << second;
  }
}

TEST(QuickerWays, FollowAProgramThatChanges) {
  Way way;
  constexpr int kTrialAtLast = 60'000;  // what becomes better unseen waits for its trial
  for (int phase = 0; phase < 20; ++phase) {
    const Costs costs = phase % 2 == 0 ? Costs{3000, 2000} : Costs{3000, 5000};
    act(way, kTrialAtLast, costs);
    const int second = act(way, 20'000, costs);
    EXPECT_TRUE(phase % 2 == 0 ? second > 18'000 : second < 2000) << "phase " << phase << ": " << second;
  }
}

TEST(QuickerWays, AreTriedAtOnceWhenActionsBecomeSlower) {
  Way way;
  act(way, 200'000, {3000, 2000});  // trials are seldom by now
  EXPECT_LE(act(way, 4000, {3000, 5000}), 1500);
}

TEST(QuickerWays, AreFoundWhileOtherProgramsTakeTime) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  for (const Costs& costs : {Costs{3000, 2000}, Costs{2000, 3000}}) {
    Way way;
    int second = 0;
    constexpr int kActions = 400'000;
    for (int i = 0; i < kActions; ++i) {
      second += act(way, 1, costs);
      test_time += random() % 200;
      if (random() % 500 == 0) test_time += 50'000;
    }
    EXPECT_TRUE(costs.second < costs.first ? second > kActions * 9 / 10 : second < kActions / 20)
        << "seed " << seed << ": " << second;
  }
}

TEST(QuickerWays, AreFoundBesideOthersThatShareTheTime) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Way wins(seed);
    Way loses(seed + 1);
    const auto both = [&](int actions, int* won, int* lost) {
      for (int i = 0; i < actions; ++i) {
        *won += act(wins, 1, {3000, 2000});
        *lost += act(loses, 1, {2000, 3000});
      }
    };
    int won = 0;
    int lost = 0;
    both(20'000, &won, &lost);
    won = lost = 0;
    both(50'000, &won, &lost);
    EXPECT_GE(won, 45'000) << "seed " << seed;
    EXPECT_LE(lost, 2500) << "seed " << seed;
  }
}

TEST(QuickerWays, AreNotInsistedOnWhereTheyCannotBeGone) {
  Way way;
  int refused = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (!way.next_is_second()) continue;
    ++refused;
    way.forbid_second();
    test_time += 10;  // even where it would be quick
  }
  EXPECT_GE(refused, 1);
  EXPECT_LE(refused, 5);
}

}  // namespace
}  // namespace starling::tuning
