// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "unit/arrival/statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace starling::arrival {
namespace {

TEST(Statistics, OfASampleAreItsOwn) {
  EXPECT_DOUBLE_EQ(mean(std::vector<double>{1, 2, 4}), 7.0 / 3);
  EXPECT_DOUBLE_EQ(variance(std::vector<double>{1, 2, 4}), 7.0 / 3);
  EXPECT_DOUBLE_EQ(mean({}), 0);
  EXPECT_DOUBLE_EQ(variance(std::vector<double>{5}), 0);
}

// What another implementation of the test says of the same samples.
TEST(Statistics, SayHowLikelyItIsThatMeansDifferByChance) {
  const std::vector<double> a = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
                                 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
  const std::vector<double> b = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
                                 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};
  EXPECT_NEAR(welch_p(a, b), 0.021378, 1e-5);
  EXPECT_NEAR(welch_p(b, a), 0.021378, 1e-5);
  EXPECT_NEAR(welch_p(std::vector<double>{1, 2, 4}, std::vector<double>{10, 10.5, 9, 11.5, 30}), 0.038788, 1e-5);
  EXPECT_NEAR(welch_p(a, a), 1, 1e-3);
  const std::vector<double> low = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<double> high = {20, 21, 22, 23, 24, 25, 26, 27};
  EXPECT_NEAR(welch_p(low, high), 1.6458e-10, 1e-13);
}

}  // namespace
}  // namespace starling::arrival
