// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How many messages a rank sends at once, and the trees and steps that follow from it.
#include "collective/parts/fan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <queue>
#include <set>
#include <vector>

#include "collective/parts/chain.hpp"
#include "collective/parts/postal_tree.hpp"

namespace starling::collective::test {
namespace {

constexpr auto kNetwork = tuning::Distance::kNetwork;

Machine machine(double message_ns, double next_ns) {
  tuning::Constants constants = tuning::default_constants();
  for (tuning::LinkCosts& costs : constants.links) {
    costs.message_ns = message_ns;
    costs.next_ns = costs.send_ns = next_ns / 2;
  }
  return {constants, kNetwork, 1000};
}

/// When the last of so many ranks has a message that everybody who has it sends on and on.
std::int64_t soonest(std::int32_t ranks, std::int32_t delay) {
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> arrivals;  // of whoever sends next
  arrivals.push(delay);
  std::int64_t last = 0;
  for (std::int32_t reached = 1; reached < ranks; ++reached) {
    last = arrivals.top();
    arrivals.pop();
    arrivals.push(last + 1);      // the next message of who has just been heard of
    arrivals.push(last + delay);  // the first one of who has just been reached
  }
  return last;
}

TEST(PostalTree, ReachesEverybodyOnceAndAsSoonAsCanBe) {
  for (const std::int32_t delay : {1, 2, 3, 7, 22, 64, 1000}) {
    for (const std::int32_t ranks : {1, 2, 3, 7, 16, 63, 64, 200, 1024}) {
      const std::int32_t top = ranks / 3;
      std::vector<std::int64_t> arrival(static_cast<std::size_t>(ranks), -1);
      std::vector<std::int32_t> reached{top};
      arrival[static_cast<std::size_t>(top)] = 0;
      for (std::size_t i = 0; i < reached.size(); ++i) {
        const PostalTree tree(ranks, reached[i], top, delay);
        EXPECT_EQ(tree.at_top(), i == 0);
        std::int64_t sent = arrival[static_cast<std::size_t>(reached[i])];
        for (std::int32_t child = tree.children() - 1; child >= 0; --child, ++sent) {
          const std::int32_t rank = tree.child(child).rank;
          ASSERT_EQ(arrival[static_cast<std::size_t>(rank)], -1) << rank << " is reached twice";
          EXPECT_EQ(PostalTree(ranks, rank, top, delay).parent(), reached[i]);
          arrival[static_cast<std::size_t>(rank)] = sent + std::min(delay, PostalTree::kMostDelay);
          reached.push_back(rank);
        }
      }
      EXPECT_EQ(static_cast<std::int32_t>(reached.size()), ranks);
      EXPECT_EQ(*std::ranges::max_element(arrival), soonest(ranks, std::min(delay, PostalTree::kMostDelay)))
          << ranks << " ranks, delay " << delay;
    }
  }
}

TEST(PostalTree, IsBinomialWhereAMessageArrivesBeforeTheNextIsSent) {
  const PostalTree tree(16, 0, 0, 1);
  ASSERT_EQ(tree.children(), 4);
  for (std::int32_t i = 0; i < 4; ++i) EXPECT_EQ(tree.child(i).rank, 1 << i);
}

TEST(Dissemination, HasAsManyMessagesAtOnceAsTheirArrivalTakes) {
  const Machine one_by_one = machine(1000, 1000);
  EXPECT_EQ(Dissemination::of(64, kNetwork, one_by_one).radix, 2);
  EXPECT_EQ(Dissemination::of(64, kNetwork, Machine()).radix, 2);
  EXPECT_EQ(Dissemination::of(64, tuning::Distance::kNear, machine(100000, 10)).radix, 2);
  const Machine all_at_once = machine(100000, 10);
  EXPECT_EQ(Dissemination::of(64, kNetwork, all_at_once).radix, 64);
  const Machine some = machine(11000, 500);
  const Dissemination chosen = Dissemination::of(64, kNetwork, some);
  EXPECT_EQ(chosen.radix, 8);
  EXPECT_EQ(chosen.steps(), 2);
  EXPECT_EQ(chosen.all_messages(), 14);
}

TEST(Dissemination, HearsOfEverybody) {
  for (const std::int32_t ranks : {1, 2, 3, 13, 16, 100}) {
    for (const std::int32_t radix : {2, 3, 5, 16, 100}) {
      const Dissemination steps{ranks, radix};
      std::set<std::int64_t> heard{0};  // of those behind
      for (std::int64_t distance = 1; distance < ranks; distance *= radix) {
        const std::set<std::int64_t> before = heard;
        for (std::int64_t i = 1; i <= steps.messages(distance); ++i) {
          for (const std::int64_t behind : before) heard.insert((behind + i * distance) % ranks);
        }
      }
      EXPECT_EQ(static_cast<std::int32_t>(heard.size()), ranks) << "radix " << radix;
    }
  }
}

TEST(Multiplying, LeavesFewRanksOutAndTakesTheGroupsThatCostLeast) {
  for (std::int32_t ranks = 1; ranks <= 300; ++ranks) {
    for (const Machine& seen : {machine(1000, 1000), machine(2000, 500), machine(11000, 500), machine(100000, 10)}) {
      const Multiplying steps = Multiplying::of(ranks, 8, seen);
      std::int32_t product = 1;
      for (const std::int32_t size : steps.group_sizes()) product *= size;
      ASSERT_EQ(product, steps.participants());
      ASSERT_LE(product, ranks);
      ASSERT_LT(ranks - product, product) << "more than a neighbour for some";
    }
  }
  const Machine some = machine(11000, 500);
  const Multiplying steps = Multiplying::of(64, 8, some);
  EXPECT_EQ(std::vector<std::int32_t>({8, 8}),
            std::vector<std::int32_t>(steps.group_sizes().begin(), steps.group_sizes().end()));
  const Machine one_by_one = machine(1000, 1000);
  EXPECT_EQ(Multiplying::of(64, 8, one_by_one).largest(), 2);
}

TEST(Chain, HasTheShorterSegmentsTheLongerTheChainIs) {
  const Machine seen = machine(11000, 500);
  constexpr std::int64_t kVectorBytes = 1 << 20;
  const auto segment = [&](std::int32_t ranks, tuning::Distance distance) {
    return chain_segment(ranks, kVectorBytes, distance, seen);
  };
  EXPECT_EQ(segment(16, tuning::Distance::kNear), 64 * 1024);
  EXPECT_EQ(segment(2, kNetwork), 64 * 1024);
  EXPECT_LT(segment(16, kNetwork), segment(4, kNetwork));
  EXPECT_EQ(segment(100000, kNetwork), 4 * 1024);
}

}  // namespace
}  // namespace starling::collective::test
