// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/binding.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace starling::topology {
namespace {

/// Two packages of two L3 caches of two cores of two hardware threads; thread i + 8 is the sibling of thread i.
std::vector<Core> machine() {
  std::vector<Core> cores;
  for (unsigned i = 0; i < 8; ++i) cores.push_back({{i, i + 8}, i / 2, i / 4, i / 4});
  return cores;
}

CoreLimits limits(std::uint32_t affinity) {
  CoreLimits result;
  result.affinity = affinity;
  return result;
}

TEST(MayBind, NotWithMoreRanksThanCores) {
  EXPECT_TRUE(may_bind(4, {}, limits(4)));
  EXPECT_FALSE(may_bind(5, {}, limits(4)));
}

TEST(MayBind, NotUnderAQuota) {
  CoreLimits limited = limits(8);
  limited.quota_cores = 4;
  EXPECT_FALSE(may_bind(2, {}, limited));
}

TEST(MayBind, NotForALoneRankWhichMayHaveThreads) { EXPECT_FALSE(may_bind(1, {}, limits(8))); }

TEST(MayBind, WheneverAskedFor) {
  EXPECT_TRUE(may_bind(100, {BindTo::kCore, MapBy::kAutomatic}, limits(4)));
  EXPECT_FALSE(may_bind(2, {BindTo::kNone, MapBy::kAutomatic}, limits(4)));
}

TEST(PlaceRanks, GivesEachRankAnEqualShareOfTheCores) {
  const BindingPlan plan = place_ranks(2, {}, machine());
  EXPECT_EQ(plan[0], (std::vector<unsigned>{0, 8, 1, 9, 2, 10, 3, 11}));
  EXPECT_EQ(plan[1], (std::vector<unsigned>{4, 12, 5, 13, 6, 14, 7, 15}));
}

TEST(PlaceRanks, GivesAsManyRanksAsCoresOneCoreEachAndNeighboursSideBySide) {
  const BindingPlan plan = place_ranks(8, {}, machine());
  for (unsigned rank = 0; rank < 8; ++rank) EXPECT_EQ(plan[rank], (std::vector<unsigned>{rank, rank + 8}));
}

TEST(PlaceRanks, SharesAreDisjointAndCoverEverythingForEveryNumberOfRanks) {
  for (std::uint32_t ranks = 1; ranks <= 16; ++ranks) {
    std::vector<unsigned> all;
    for (const auto& threads : place_ranks(ranks, {}, machine())) {
      EXPECT_FALSE(threads.empty());
      all.insert(all.end(), threads.begin(), threads.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all.size(), 16u) << ranks;
    EXPECT_EQ(std::unique(all.begin(), all.end()), all.end()) << ranks;
  }
}

TEST(PlaceRanks, LeavesRanksFreeThatDoNotFit) { EXPECT_TRUE(place_ranks(17, {}, machine()).empty()); }

TEST(PlaceRanks, SpreadsFewRanksBoundToCoresOverTheMachine) {
  const BindingPlan plan = place_ranks(2, {BindTo::kCore, MapBy::kAutomatic}, machine());
  EXPECT_EQ(plan[0], (std::vector<unsigned>{0, 8}));
  EXPECT_EQ(plan[1], (std::vector<unsigned>{4, 12}));
}

TEST(PlaceRanks, PacksThemWhenMappedByCore) {
  const BindingPlan plan = place_ranks(2, {BindTo::kCore, MapBy::kCore}, machine());
  EXPECT_EQ(plan[1], (std::vector<unsigned>{1, 9}));
}

TEST(PlaceRanks, StepsOverPackages) {
  const BindingPlan plan = place_ranks(4, {BindTo::kCore, MapBy::kPackage}, machine());
  EXPECT_EQ(plan[0][0], 0u);
  EXPECT_EQ(plan[1][0], 4u);
  EXPECT_EQ(plan[2][0], 1u);
  EXPECT_EQ(plan[3][0], 5u);
}

TEST(PlaceRanks, BindsToTheWholeCacheOrPackageAroundTheRank) {
  EXPECT_EQ(place_ranks(4, {BindTo::kL3, MapBy::kAutomatic}, machine())[1], (std::vector<unsigned>{2, 10, 3, 11}));
  EXPECT_EQ(place_ranks(2, {BindTo::kPackage, MapBy::kAutomatic}, machine())[1].size(), 8u);
  EXPECT_EQ(place_ranks(2, {BindTo::kNuma, MapBy::kAutomatic}, machine())[0].front(), 0u);
}

TEST(PlaceRanks, BindsToHardwareThreads) {
  const BindingPlan plan = place_ranks(16, {BindTo::kHardwareThread, MapBy::kAutomatic}, machine());
  EXPECT_EQ(plan[0], (std::vector<unsigned>{0}));
  EXPECT_EQ(plan[1], (std::vector<unsigned>{8}));
}

TEST(PlaceRanks, GoesRoundWhenMoreRanksThanCoresAreToBeBound) {
  const BindingPlan plan = place_ranks(10, {BindTo::kCore, MapBy::kAutomatic}, machine());
  EXPECT_EQ(plan[8], plan[0]);
  EXPECT_EQ(plan[9], plan[1]);
}

TEST(PlaceRanks, BindsNobodyWithoutCoresOrWish) {
  EXPECT_TRUE(place_ranks(2, {}, {}).empty());
  EXPECT_TRUE(place_ranks(2, {BindTo::kNone, MapBy::kAutomatic}, machine()).empty());
}

TEST(BindingWords, AreUnderstoodOrAnsweredWithTheListOfThem) {
  EXPECT_EQ(parse_bind_to("socket").value(), BindTo::kPackage);
  EXPECT_EQ(parse_map_by("numa").value(), MapBy::kNuma);
  const Result<BindTo> unknown = parse_bind_to("chair");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.status().message().find("none, hwthread, core"), std::string::npos);
}

}  // namespace
}  // namespace starling::topology
