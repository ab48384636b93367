// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The launcher's short look at its ranks, on a segment of which the test plays the ranks.
#include "launch/watch/node_scan.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "base/clock.hpp"

namespace starling::launch {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLate = 60 * kSecond;

class Ranks {
 public:
  explicit Ranks(std::uint32_t count) {
    memory::JobGeometry geometry;
    geometry.ranks = geometry.world_ranks = count;
    segment = memory::JobSegment::create(geometry).value();
    for (std::uint32_t rank = 0; rank < count; ++rank) block(rank).state = memory::RankState::kInitialized;
  }
  memory::RankBlock& block(std::uint32_t rank) { return segment->rank(LocalRank(rank)); }
  void wait(std::uint32_t rank, std::int64_t since_ns) {
    block(rank).card.calls = 5;
    block(rank).card.since_ns = since_ns;
  }
  NodeScan scan(std::int64_t now_ns) { return scan_node(*segment, now_ns, kLate); }

  std::unique_ptr<memory::JobSegment> segment;
};

TEST(NodeScan, SeesThatAllWait) {
  Ranks ranks(3);
  for (const std::uint32_t rank : {0, 1}) ranks.wait(rank, kSecond);
  EXPECT_FALSE(ranks.scan(2 * kSecond).all_idle());
  ranks.wait(2, kSecond);
  EXPECT_TRUE(ranks.scan(2 * kSecond).all_idle());
  EXPECT_EQ(ranks.scan(3 * kSecond).waited_ns, 2 * kSecond);
  EXPECT_TRUE(ranks.scan(2 * kSecond).is_like(ranks.scan(3 * kSecond)));
  const NodeScan before = ranks.scan(2 * kSecond);
  ranks.block(2).card.moves = 1;
  EXPECT_FALSE(before.is_like(ranks.scan(2 * kSecond)));
}

TEST(NodeScan, DoesNotCountRanksThatHaveLeft) {
  Ranks ranks(3);
  ranks.wait(0, kSecond);
  ranks.block(1).state = memory::RankState::kFinalized;
  ranks.block(2).state = memory::RankState::kDead;
  EXPECT_TRUE(ranks.scan(2 * kSecond).all_idle());
}

TEST(NodeScan, LeavesYoungWaitsToTheNext) {
  Ranks ranks(1);
  ranks.wait(0, 2 * kSecond);
  EXPECT_FALSE(ranks.scan(2 * kSecond + NodeScan::kYoungNs - 1).all_idle());
  EXPECT_TRUE(ranks.scan(2 * kSecond + NodeScan::kYoungNs).all_idle());
}

TEST(NodeScan, NotesWhenTheNumberOfCallsChanged) {
  Ranks ranks(1);
  ranks.block(0).card.calls = 7;
  (void)ranks.scan(1 * kSecond);
  (void)ranks.scan(2 * kSecond);
  EXPECT_EQ(ranks.block(0).call_count_seen.unchanged_since_ns(7), kSecond);
  EXPECT_FALSE(ranks.block(0).call_count_seen.unchanged_since_ns(8));
  ranks.block(0).card.calls = 8;
  (void)ranks.scan(3 * kSecond);
  EXPECT_EQ(ranks.block(0).call_count_seen.unchanged_since_ns(8), 3 * kSecond);
}

TEST(NodeScan, SeesWhoIsAwayForLong) {
  Ranks ranks(2);
  ranks.wait(0, kSecond);
  (void)ranks.scan(kSecond);
  EXPECT_EQ(ranks.scan(kSecond + kLate - 1).away_state, 0U);
  const NodeScan late = ranks.scan(kSecond + kLate);
  EXPECT_NE(late.away_state, 0U);
  EXPECT_EQ(late.away_state, ranks.scan(2 * kSecond + kLate).away_state);
}

TEST(NodeScan, CrossesHosts) {
  Ranks ranks(2);
  ranks.wait(0, kSecond);
  const NodeScan scan = ranks.scan(2 * kSecond);
  const Result<NodeScan> parsed = NodeScan::parse(scan.serialised());
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed.value().is_like(scan));
  EXPECT_EQ(parsed.value().waited_ns, scan.waited_ns);
  EXPECT_FALSE(NodeScan::parse(scan.serialised() + "x").ok());
  EXPECT_FALSE(NodeScan::parse("").ok());
  const NodeScan both = scan.with(scan).after(kSecond);
  EXPECT_EQ(both.there, 4U);
  EXPECT_EQ(both.waited_ns, 2 * kSecond);
}

TEST(NodeScan, OfManyRanksCostsMicroseconds) {
  Ranks ranks(64);
  for (std::uint32_t rank = 0; rank < 64; ++rank) ranks.wait(rank, kSecond);
  constexpr int kScans = 1000;
  const std::int64_t start = now_ns();
  for (int i = 0; i < kScans; ++i) (void)ranks.scan(2 * kSecond + i);
  const std::int64_t each_ns = (now_ns() - start) / kScans;
  std::printf("64 ranks: %.1f us\n", static_cast<double>(each_ns) / 1e3);
  EXPECT_LT(each_ns, 2'000'000);
}

}  // namespace
}  // namespace starling::launch
