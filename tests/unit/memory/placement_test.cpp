// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/placement.hpp"

#include <gtest/gtest.h>

namespace starling::memory {
namespace {

TEST(Placement, OfOneNodeGivesEveryRankItsWorldRankAsItsLocalRank) {
  const Placement placement = Placement::one_node(4, 8);
  EXPECT_EQ(placement.size(), 4);
  EXPECT_EQ(placement.nodes(), 1);
  EXPECT_EQ(placement.fewest_usable_cores(), 8);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    EXPECT_TRUE(placement.is_here(WorldRank(rank)));
    EXPECT_EQ(placement.local_of(WorldRank(rank)), LocalRank(rank));
    EXPECT_EQ(placement.world_of(LocalRank(rank)), WorldRank(rank));
  }
}

TEST(Placement, OfSeveralNodesKeepsTheOrderThatEachNodeGivesItsRanks) {
  const Placement placement({{{WorldRank(4), WorldRank(0)}, 16}, {{WorldRank(2), WorldRank(1), WorldRank(3)}, 2}}, 1);
  EXPECT_EQ(placement.size(), 5);
  EXPECT_EQ(placement.fewest_usable_cores(), 2);
  EXPECT_EQ(placement.node_of(WorldRank(4)), 0);
  EXPECT_EQ(placement.local_of(WorldRank(4)), LocalRank(0));
  EXPECT_EQ(placement.local_of(WorldRank(1)), LocalRank(1));
  EXPECT_EQ(placement.world_of(LocalRank(2)), WorldRank(3));
  EXPECT_FALSE(placement.is_here(WorldRank(0)));
  EXPECT_TRUE(placement.is_here(WorldRank(2)));
}

}  // namespace
}  // namespace starling::memory
