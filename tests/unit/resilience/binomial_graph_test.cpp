// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/binomial_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <random>

#include "support/sanitized.hpp"

namespace starling::resilience {
namespace {

std::int32_t degree(std::int32_t members) { return static_cast<std::int32_t>(binomial_neighbors(0, members).size()); }

bool connected_without(std::int32_t members, std::uint32_t dead) {
  return binomial_graph_connects(members, [&](std::int32_t member) { return (dead >> member & 1) == 0; });
}

TEST(BinomialGraph, LinksBothWaysAndEachMemberAlike) {
  for (std::int32_t members = 1; members <= (kUnderSanitizer ? 40 : 130); ++members) {
    for (std::int32_t member = 0; member < members; ++member) {
      const auto linked = binomial_neighbors(member, members);
      ASSERT_EQ(static_cast<std::int32_t>(linked.size()), degree(members)) << member << " of " << members;
      for (const std::int32_t other : linked) {
        ASSERT_NE(other, member);
        const auto back = binomial_neighbors(other, members);
        ASSERT_TRUE(std::binary_search(back.begin(), back.end(), member)) << member << " and " << other;
      }
    }
  }
}

TEST(BinomialGraph, HasAtMostTwiceTheLogarithmOfNeighbors) {
  for (std::int32_t members = 2; members <= 100'000; members = members * 3 / 2 + 1) {
    const auto log2_ceil = std::bit_width(static_cast<std::uint32_t>(members - 1));
    EXPECT_LE(degree(members), 2 * log2_ceil) << members;
  }
}

TEST(BinomialGraph, StaysConnectedWhicheverMembersBelowItsDegreeDie) {
  for (std::int32_t members = 2; members <= (kUnderSanitizer ? 11 : 16); ++members) {
    for (std::uint32_t dead = 0; dead < (1U << members); ++dead) {
      if (std::popcount(dead) >= degree(members)) continue;
      ASSERT_TRUE(connected_without(members, dead)) << members << " members, dead " << std::hex << dead;
    }
  }
}

TEST(BinomialGraph, IsCutByTheDeathOfAllNeighborsOfOne) {
  constexpr std::int32_t kMembers = 16;
  std::uint32_t dead = 0;
  for (const std::int32_t neighbor : binomial_neighbors(3, kMembers)) dead |= 1U << neighbor;
  EXPECT_FALSE(connected_without(kMembers, dead));
}

TEST(BinomialGraph, SurvivesManyMoreRandomDeathsThanItsDegree) {
  constexpr std::int32_t kMembers = 1024;
  constexpr int kTrials = kUnderSanitizer ? 10 : 200;
  std::mt19937 random(7);
  std::vector<std::int32_t> order(kMembers);
  std::iota(order.begin(), order.end(), 0);
  int cut = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<bool> alive(kMembers, true);
    for (int i = 0; i < 10 * degree(kMembers); ++i)
      alive[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = false;
    cut +=
        binomial_graph_connects(kMembers, [&](std::int32_t m) { return alive[static_cast<std::size_t>(m)]; }) ? 0 : 1;
  }
  EXPECT_EQ(cut, 0) << "seed 7: of " << kTrials << " trials";
}

TEST(BinomialGraph, HasADiameterOfHalfTheLogarithmAndAMeanDistanceOfAThird) {
  EXPECT_EQ(binomial_graph_distances(1).longest, 0);
  EXPECT_EQ(binomial_graph_distances(2).longest, 1);
  EXPECT_EQ(binomial_graph_distances(8).longest, 2);  // 3 = 4 - 1
  EXPECT_DOUBLE_EQ(binomial_graph_distances(8).mean, (5 * 1 + 2 * 2) / 7.0);
  for (std::int32_t members = 2; members <= (kUnderSanitizer ? 2'000 : 100'000); members += 1 + members / 7) {
    const auto log2_ceil = std::bit_width(static_cast<std::uint32_t>(members - 1));
    const Distances distances = binomial_graph_distances(members);
    EXPECT_LE(distances.longest, (log2_ceil + 1) / 2) << members;
    EXPECT_LE(distances.mean, log2_ceil / 3.0 + 0.67) << members;
    EXPECT_GE(distances.mean, 1) << members;
  }
}

TEST(BinomialGraph, HoldsABinomialTreeOfEachRoot) {
  for (std::int32_t members = 1; members <= (kUnderSanitizer ? 20 : 70); ++members) {
    for (std::int32_t root = 0; root < members; ++root) {
      EXPECT_EQ(binomial_tree_parent(root, root, members), root);
      for (std::int32_t member = 0; member < members; ++member) {
        int depth = 0;
        for (std::int32_t at = member; at != root; ++depth) {
          const std::int32_t parent = binomial_tree_parent(at, root, members);
          const auto linked = binomial_neighbors(at, members);
          ASSERT_TRUE(std::binary_search(linked.begin(), linked.end(), parent)) << at << " of " << members;
          at = parent;
        }
        const std::int32_t from_root = (member - root + members) % members;
        ASSERT_EQ(depth, std::popcount(static_cast<std::uint32_t>(from_root))) << member << " of " << members;
      }
    }
  }
}

}  // namespace
}  // namespace starling::resilience
