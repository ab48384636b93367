// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/assert.hpp"

#include <gtest/gtest.h>

namespace starling {
namespace {

TEST(AssertDeathTest, NamesThePlaceTheConditionAndWhoseMistakeItIs) {
  const int slots = 3;
  EXPECT_DEATH(STARLING_ASSERT(slots == 4, "the ring has lost a slot"),
               "internal error at .*assert_test.cpp:[0-9]+: the ring has lost a slot .slots == 4 does not hold.*bug in "
               "Starling");
}

TEST(Assert, IsSilentWhileItsConditionHolds) {
  int evaluations = 0;
  STARLING_ASSERT(++evaluations == 1, "counts how often it is evaluated");
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace starling
