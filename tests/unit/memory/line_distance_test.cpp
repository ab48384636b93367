// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/line_distance.hpp"

#include <gtest/gtest.h>

namespace starling::memory {
namespace {

constexpr std::int64_t kNear = LineDistance::kNearNs - 1;
constexpr std::int64_t kFar = LineDistance::kNearNs;

TEST(LineDistance, IsFarUntilLinesHaveComeQuicklySeveralTimes) {
  LineDistance distance;
  EXPECT_FALSE(distance.is_near());
  for (int i = 0; i < 2; ++i) distance.saw(kNear);
  EXPECT_FALSE(distance.is_near());
  distance.saw(kNear);
  EXPECT_TRUE(distance.is_near());
}

TEST(LineDistance, DoesNotChangeForOneInterruption) {
  LineDistance distance;
  for (int i = 0; i < 100; ++i) distance.saw(i % 10 == 5 ? 50'000 : kNear);
  EXPECT_TRUE(distance.is_near());
  for (int i = 0; i < 100; ++i) distance.saw(i % 10 == 5 ? kNear : kFar);
  EXPECT_FALSE(distance.is_near());
}

TEST(LineDistance, FollowsCoresThatAreMoved) {
  LineDistance distance;
  for (int i = 0; i < 1000; ++i) distance.saw(kNear);
  for (int i = 0; i < 4; ++i) distance.saw(kFar);
  EXPECT_FALSE(distance.is_near());
  for (int i = 0; i < 4; ++i) distance.saw(kNear);
  EXPECT_TRUE(distance.is_near());
}

}  // namespace
}  // namespace starling::memory
