// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/topology/dims.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace starling::mpi {
namespace {

std::vector<int> balanced(int places, std::vector<int> dims) {
  const Status status = balance_dims(places, dims);
  EXPECT_TRUE(status.ok()) << status.message();
  return dims;
}

/// The smallest spread of any factorisation, by trying all.
int best_spread(int rest, int count, int smallest, int largest) {
  if (count == 1) return std::max(largest, rest) - std::min(smallest, rest);
  int best = std::numeric_limits<int>::max();
  for (int factor = 1; factor <= rest; ++factor) {
    if (rest % factor != 0) continue;
    best = std::min(best, best_spread(rest / factor, count - 1, std::min(smallest, factor), std::max(largest, factor)));
  }
  return best;
}

TEST(BalanceDims, GivesTheExamplesOfTheStandard) {
  EXPECT_EQ(balanced(6, {0, 0}), (std::vector<int>{3, 2}));
  EXPECT_EQ(balanced(7, {0, 0}), (std::vector<int>{7, 1}));
  EXPECT_EQ(balanced(6, {0, 3, 0}), (std::vector<int>{2, 3, 1}));
}

TEST(BalanceDims, IsAsBalancedAsAnyFactorisation) {
  for (int places = 1; places <= 128; ++places) {
    for (int count = 1; count <= 4; ++count) {
      const std::vector<int> dims = balanced(places, std::vector<int>(static_cast<std::size_t>(count), 0));
      EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), places);
      EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend()));
      EXPECT_EQ(dims.front() - dims.back(), best_spread(places, count, places, 1)) << places << " in " << count;
    }
  }
}

TEST(BalanceDims, IsQuickForLargeNumbers) {
  EXPECT_EQ(balanced(1 << 30, std::vector<int>(10, 0)), std::vector<int>(10, 8));
  EXPECT_EQ(balanced(2147483647, {0, 0, 0}), (std::vector<int>{2147483647, 1, 1}));
  EXPECT_EQ(balanced(735134400, {0, 0}), (std::vector<int>{27200, 27027}));
}

TEST(BalanceDims, RefusesWhatDoesNotDivide) {
  for (std::vector<int> dims : {std::vector<int>{4, 0}, std::vector<int>{-1, 0}, std::vector<int>{2, 2}}) {
    const Status status = balance_dims(6, dims);
    EXPECT_EQ(status.error_class(), ErrorClass::kDims);
  }
}

}  // namespace
}  // namespace starling::mpi
