// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "message_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace starling::see {
namespace {

constexpr Envelope kLane{1, 7, 0};

TEST(MessageNumbers, CountEachLaneByItself) {
  MessageNumbers numbers;
  EXPECT_EQ(numbers.sent(kLane), 1U);
  EXPECT_EQ(numbers.sent({2, 7, 0}), 1U);
  EXPECT_EQ(numbers.sent({1, 8, 0}), 1U);
  EXPECT_EQ(numbers.sent({1, 7, 4}), 1U);
  EXPECT_EQ(numbers.sent(kLane), 2U);
  EXPECT_EQ(numbers.received(kLane, numbers.begin()), 1U);
  EXPECT_EQ(numbers.received({1, 8, 0}, numbers.begin()), 1U);
  EXPECT_EQ(numbers.received(kLane, numbers.begin()), 2U);
}

TEST(MessageNumbers, FollowTheOrderInWhichReceivesBeganHoweverTheyEnd) {
  std::mt19937 random(20261125);
  for (int round = 0; round < 200; ++round) {
    MessageNumbers numbers;
    std::vector<std::uint64_t> places(8);
    for (std::uint64_t& place : places) {
      place = numbers.begin();
      numbers.goes_on(kLane, place);
    }
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random);
    for (const std::size_t at : order) ASSERT_EQ(numbers.received(kLane, places[at]), at + 1);
    ASSERT_EQ(numbers.received(kLane, numbers.begin()), places.size() + 1);
  }
}

TEST(MessageNumbers, AreNotUsedUpByReceivesThatEndWithoutAMessage) {
  MessageNumbers numbers;
  const std::uint64_t first = numbers.begin();
  numbers.goes_on(kLane, first);
  const std::uint64_t second = numbers.begin();
  numbers.goes_on(kLane, second);
  numbers.ends_without(kLane, first);
  EXPECT_EQ(numbers.received(kLane, second), 1U);
}

TEST(MessageNumbers, OfAReceiveThatTookAnyComeBehindThoseThatBeganBefore) {
  MessageNumbers numbers;
  const std::uint64_t first = numbers.begin();
  numbers.goes_on(kLane, first);
  const std::uint64_t any = numbers.begin();
  EXPECT_EQ(numbers.received(kLane, any), 2U);
  EXPECT_EQ(numbers.received(kLane, first), 1U);
}

TEST(MessageNumbers, EndWithTheLastLaneThatIsKept) {
  MessageNumbers numbers;
  for (std::size_t tag = 0; tag < MessageNumbers::kMostLanes; ++tag) {
    ASSERT_EQ(numbers.sent({0, static_cast<std::int32_t>(tag), 0}), 1U);
    ASSERT_EQ(numbers.received({0, static_cast<std::int32_t>(tag), 0}, numbers.begin()), 1U);
  }
  EXPECT_EQ(numbers.sent({0, 1 << 20, 0}), 0U);
  EXPECT_EQ(numbers.received({0, 1 << 20, 0}, numbers.begin()), 0U);
  EXPECT_EQ(numbers.sent({0, 5, 0}), 2U);
}

}  // namespace
}  // namespace starling::see
