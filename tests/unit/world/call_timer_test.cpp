// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/call_timer.hpp"

#include <gtest/gtest.h>

namespace starling::world {
namespace {

TEST(Median, IsTheMiddleOneInAnyOrder) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
}

TEST(LowerQuartile, HasAQuarterBelowIt) {
  EXPECT_EQ(lower_quartile({7}), 7);
  EXPECT_EQ(lower_quartile({5, 3, 4}), 3);
  EXPECT_EQ(lower_quartile({8, 2, 4, 6}), 4);
  EXPECT_EQ(lower_quartile({9, 8, 7, 6, 5, 4, 3, 2}), 4);
}

}  // namespace
}  // namespace starling::world
