// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Groups against naive vectors: random groups of random size, the seed printed with every failure.
#include "comm/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace starling::comm {
namespace {

using Ranks = std::vector<std::int32_t>;

Ref<Group> group_of(const Ranks& ranks) {
  std::vector<ProcessId> processes;
  for (const std::int32_t rank : ranks) processes.emplace_back(rank);
  return Ref<Group>::adopt(new Group(processes));
}
Ranks ranks_of(const Ref<Group>& group) {
  Ranks ranks;
  for (const ProcessId process : group->processes()) ranks.push_back(process.value);
  return ranks;
}
bool contains(const Ranks& ranks, std::int32_t rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

class RandomGroups : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::int32_t kWorld = 24;

  Ranks draw() {
    Ranks world(kWorld);
    std::iota(world.begin(), world.end(), 0);
    std::shuffle(world.begin(), world.end(), random_);
    world.resize(random_() % (kWorld + 1));
    if (random_() % 2 == 0) std::sort(world.begin(), world.end());
    return world;
  }

  unsigned seed_ = std::random_device{}() + GetParam();
  std::mt19937 random_{seed_};
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

TEST_P(RandomGroups, FindEveryMemberAndNobodyElse) {
  const Ranks members = draw();
  const auto group = group_of(members);
  ASSERT_EQ(group->size(), static_cast<std::int32_t>(members.size()));
  for (std::int32_t number = -1; number <= kWorld; ++number) {
    const auto at = std::find(members.begin(), members.end(), number);
    const auto expected = at == members.end() ? Group::kNotMember : static_cast<std::int32_t>(at - members.begin());
    EXPECT_EQ(group->rank_of(ProcessId(number)), expected) << number;
    if (expected != Group::kNotMember) {
      EXPECT_EQ(group->process(expected), ProcessId(number));
    }
  }
}

TEST_P(RandomGroups, CombineAsOrderedSets) {
  const Ranks a = draw();
  const Ranks b = draw();
  Ranks both = a;
  Ranks common;
  Ranks only_a;
  for (const std::int32_t rank : b) {
    if (!contains(a, rank)) both.push_back(rank);
  }
  for (const std::int32_t rank : a) (contains(b, rank) ? common : only_a).push_back(rank);
  EXPECT_EQ(ranks_of(group_union(*group_of(a), *group_of(b))), both);
  EXPECT_EQ(ranks_of(group_intersection(*group_of(a), *group_of(b))), common);
  EXPECT_EQ(ranks_of(group_difference(*group_of(a), *group_of(b))), only_a);
}

TEST_P(RandomGroups, IncludeAndExcludeSplitAGroupInTwo) {
  const Ranks members = draw();
  Ranks chosen;
  Ranks included;
  Ranks rest;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    const bool take = random_() % 2 == 0;
    if (take) chosen.push_back(static_cast<std::int32_t>(rank));
    (take ? included : rest).push_back(members[rank]);
  }
  const auto group = group_of(members);
  EXPECT_EQ(ranks_of(group_include(*group, chosen)), included);
  EXPECT_EQ(ranks_of(group_exclude(*group, chosen)), rest);
  std::reverse(chosen.begin(), chosen.end());
  std::reverse(included.begin(), included.end());
  EXPECT_EQ(ranks_of(group_include(*group, chosen)), included) << "the caller's order counts";
}

TEST_P(RandomGroups, CompareByMembersAndByOrder) {
  const Ranks a = draw();
  const Ranks b = draw();
  const bool same_members = std::set(a.begin(), a.end()) == std::set(b.begin(), b.end());
  const Comparison expected = a == b         ? Comparison::kIdentical
                              : same_members ? Comparison::kSimilar
                                             : Comparison::kUnequal;
  EXPECT_EQ(group_of(a)->compare(*group_of(b)), expected);
  Ranks shuffled = a;
  std::shuffle(shuffled.begin(), shuffled.end(), random_);
  EXPECT_EQ(group_of(a)->compare(*group_of(shuffled)), shuffled == a ? Comparison::kIdentical : Comparison::kSimilar);
}

INSTANTIATE_TEST_SUITE_P(Draws, RandomGroups, testing::Range(0U, 200U));

TEST(Group, OfNobodyIsEmptyAndEqualToItself) {
  const auto empty = group_of({});
  EXPECT_EQ(empty->size(), 0);
  EXPECT_EQ(empty->rank_of(ProcessId(0)), Group::kNotMember);
  EXPECT_EQ(empty->compare(*group_of({})), Comparison::kIdentical);
}

}  // namespace
}  // namespace starling::comm
