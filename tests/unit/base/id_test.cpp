// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/id.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace starling {
namespace {

TEST(Id, IsNotTakenForANumberOfAnotherKind) {
  EXPECT_FALSE((std::is_convertible_v<std::int32_t, WorldRank>));
  EXPECT_FALSE((std::is_convertible_v<WorldRank, std::int32_t>));
  EXPECT_FALSE((std::is_constructible_v<LocalRank, WorldRank>));
  EXPECT_FALSE((std::is_assignable_v<PeerId&, ProcessId>));
}

TEST(Id, OfARankOfTheOwnJobIsTheSameNumberForMessagesAndGroups) {
  EXPECT_EQ(peer_of(WorldRank(3)), PeerId(3));
  EXPECT_EQ(process_of(WorldRank(3)), ProcessId(3));
  EXPECT_TRUE(peer_of(WorldRank()).is_none());
}

TEST(Id, IsOrderedAndHashedByItsNumber) {
  EXPECT_LT(LocalRank(2), LocalRank(10));
  const std::unordered_set<LocalRank> ranks{LocalRank(1), LocalRank(std::size_t{1}), LocalRank(2U)};
  EXPECT_EQ(ranks.size(), 2U);
}

}  // namespace
}  // namespace starling
