// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/line_distance.hpp"

#include <gtest/gtest.h>

namespace starling::memory {
namespace {

constexpr std::int64_t kNear = LineDistance::kNearNs - 1;
constexpr std::int64_t kFar = LineDistance::kNearNs;

TEST(LineDistance, IsNearWhileTheLastLinesHaveAllComeQuickly) {
  LineDistance distance;
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(distance.is_near());
    for (std::uint32_t i = 1; i < LineDistance::kInARow; ++i) distance.saw(kNear);
    EXPECT_FALSE(distance.is_near());
    for (int i = 0; i < 1000; ++i) {
      distance.saw(kNear);
      EXPECT_TRUE(distance.is_near());
    }
    distance.saw(kFar);
  }
}

TEST(LineDistance, IsFarThoughHalfOfTheLinesWereFetchedAhead) {
  LineDistance distance;
  for (int i = 0; i < 100; ++i) {
    distance.saw(i % 2 == 0 ? kNear : kFar);
    EXPECT_FALSE(distance.is_near()) << i;
  }
}

}  // namespace
}  // namespace starling::memory
