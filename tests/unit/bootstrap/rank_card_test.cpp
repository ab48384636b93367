// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/nodes/rank_card.hpp"

#include <gtest/gtest.h>

namespace starling::bootstrap {
namespace {

RankCard card_of(std::int32_t leader, std::vector<unsigned> threads) {
  RankCard card;
  card.node_leader = WorldRank(leader);
  card.threads = std::move(threads);
  return card;
}

/// Five ranks on two nodes, round robin.
std::vector<RankCard> five_ranks() {
  std::vector<RankCard> cards;
  for (std::int32_t rank = 0; rank < 5; ++rank) {
    RankCard card = card_of(rank % 2, {static_cast<unsigned>(rank)});
    card.app_number = rank / 3;
    card.host = rank % 2 == 0 ? "even" : "odd";
    card.entrances = {{"10.0.0.1:" + std::to_string(4000 + rank), "eth0"}};
    cards.push_back(std::move(card));
  }
  cards[0].job = 4711;
  cards[0].secret.fill(std::byte{7});
  return cards;
}

TEST(RankCard, ComesBackFromItsText) {
  RankCard card = card_of(3, {0, 7, 8, 130});
  card.app_number = 2;
  card.quota_cores = 2.5;
  card.segment = "12.3.abc";
  card.host = "a host";
  card.entrances = {{"10.0.0.1:4000", "eth0"}, {"[2001:db8::1]:4001", "eth1"}};
  card.job = 0xfedcba9876543210;
  card.secret.fill(std::byte{0xa5});
  const std::string text = card.text();
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  const Result<RankCard> parsed = RankCard::parse(text, 4);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value(), card);
}

TEST(RankCard, ThatIsDamagedIsRefused) {
  const std::string text = card_of(0, {1}).text();
  EXPECT_TRUE(RankCard::parse(card_of(3, {1}).text(), 4).ok());
  EXPECT_FALSE(RankCard::parse(card_of(4, {1}).text(), 4).ok());  // its node's leader is none of four ranks
  EXPECT_FALSE(RankCard::parse("", 4).ok());
  EXPECT_FALSE(RankCard::parse("unknown", 4).ok());
  EXPECT_FALSE(RankCard::parse(text + "00", 4).ok());
  EXPECT_FALSE(RankCard::parse(text + "0", 4).ok());
  for (std::size_t length = 0; length < text.size(); length += 7) {
    EXPECT_FALSE(RankCard::parse(text.substr(0, length), 4).ok()) << length;
  }
}

TEST(RankCard, CoresOfANodeAreThoseOfAllItsRanks) {
  std::vector<RankCard> cards = {card_of(0, {0, 1}), card_of(0, {1, 2}), card_of(2, {0, 1, 2, 3})};
  EXPECT_EQ(usable_cores_of(cards, WorldRank(0)), 3);
  EXPECT_EQ(usable_cores_of(cards, WorldRank(2)), 4);
  cards[1].quota_cores = 2;
  EXPECT_EQ(usable_cores_of(cards, WorldRank(0)), 2);
}

TEST(JobCardOfRanks, HasTheNodesInTheOrderOfTheirLeaders) {
  const JobCard card = job_card_of(five_ranks(), WorldRank(3));
  EXPECT_EQ(card.job, 4711u);
  EXPECT_EQ(card.secret[31], std::byte{7});
  ASSERT_EQ(card.nodes.size(), 2u);
  EXPECT_EQ(card.own_node, 1);
  EXPECT_EQ(card.nodes[0].host, "even");
  EXPECT_EQ(card.nodes[0].ranks, (std::vector<WorldRank>{WorldRank(0), WorldRank(2), WorldRank(4)}));
  EXPECT_EQ(card.nodes[0].usable_cores, 3);
  EXPECT_EQ(card.nodes[1].ranks, (std::vector<WorldRank>{WorldRank(1), WorldRank(3)}));
  EXPECT_EQ(card.nodes[1].app_numbers, (std::vector<std::int32_t>{0, 1}));
  ASSERT_EQ(card.entrances.size(), 5u);
  EXPECT_EQ(card.entrances[4].front().address, "10.0.0.1:4004");
}

TEST(JobCardOfRanks, IsACardThatOthersTake) {
  const JobCard card = job_card_of(five_ranks(), WorldRank(0));
  const Result<JobCard> parsed = JobCard::parse(card.serialised());
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(parsed.value(), card);
}

}  // namespace
}  // namespace starling::bootstrap
