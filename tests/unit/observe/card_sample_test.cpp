// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/card_sample.hpp"

#include <gtest/gtest.h>

namespace starling::observe {
namespace {

/// A rank in a wait that sleeps on ticket 3.
class Sleeper {
 public:
  Sleeper() {
    card.calls = 10;
    card.moves = 4;
    describe();
    card.since_ns = 1000;
    card.asleep = StatusCard::kAsleep | 3;
    ticket = 3;
  }
  void describe() { record.publish(Wait(WaitKind::kOne, Awaited()), card.moves, card.calls); }
  void wake() { card.asleep = 0; }
  [[nodiscard]] CardSample take() const { return sample(card, record, ticket); }

  StatusCard card;
  WaitRecord record;
  std::atomic<std::uint32_t> ticket{0};
};

TEST(CardSample, ProvesASleeperQuietWhoseBellWasNotRung) {
  const Sleeper rank;
  EXPECT_TRUE(rank.take().waits());
  EXPECT_TRUE(was_quiet_between(rank.take(), rank.take()));
}

TEST(CardSample, ProvesNothingOfASleeperWhoseBellWasRung) {
  Sleeper rank;
  const CardSample before = rank.take();
  rank.ticket = 4;
  EXPECT_FALSE(was_quiet_between(before, rank.take()));
  EXPECT_FALSE(was_quiet_between(rank.take(), rank.take()));
}

TEST(CardSample, ProvesNothingOfAWaitThatMovesSomething) {
  Sleeper rank;
  const CardSample before = rank.take();
  ++rank.card.moves;
  EXPECT_FALSE(was_quiet_between(before, rank.take()));
  EXPECT_FALSE(was_quiet_between(rank.take(), rank.take())) << "described before the move";
  rank.describe();
  EXPECT_FALSE(was_quiet_between(before, rank.take()));
  EXPECT_TRUE(was_quiet_between(rank.take(), rank.take()));
}

TEST(CardSample, ProvesNothingOfTwoWaits) {
  Sleeper rank;
  const CardSample before = rank.take();
  ++rank.card.calls;
  EXPECT_FALSE(was_quiet_between(before, rank.take()));
  rank.card.since_ns = 0;
  EXPECT_FALSE(was_quiet_between(rank.take(), rank.take()));
}

TEST(CardSample, ProvesARankQuietThatLooksAndFindsNothing) {
  Sleeper rank;
  rank.wake();
  const CardSample before = rank.take();
  EXPECT_FALSE(was_quiet_between(before, rank.take()));
  ++rank.card.looks;
  EXPECT_FALSE(was_quiet_between(before, rank.take())) << "its round may have begun before the first sample";
  ++rank.card.looks;
  EXPECT_TRUE(was_quiet_between(before, rank.take()));
}

TEST(CardSample, TellsARowOfTestsFromAProgramThatGoesOn) {
  Sleeper rank;
  rank.card.since_ns = 0;
  rank.card.tests_since_ns = 500;
  rank.record.publish(Wait(WaitKind::kTestLoop), 0, rank.card.calls);
  EXPECT_TRUE(rank.take().tests());
  EXPECT_FALSE(rank.take().waits());
  rank.card.calls -= 1;  // as a reader finds it who has read the record later
  EXPECT_TRUE(rank.take().tests());
  rank.card.calls += 1000;
  EXPECT_FALSE(rank.take().tests());
  EXPECT_FALSE(was_quiet_between(rank.take(), rank.take()));
}

TEST(CardSample, HasTheLastCollectivesAndNoHalfOfOne) {
  constexpr std::uint32_t kMost = CollectiveCard::kMost;
  StatusCard card;
  const WaitRecord record;
  const std::atomic<std::uint32_t> ticket{0};
  EXPECT_EQ(sample(card, record, ticket).collective.sequence, 0U);
  for (std::uint32_t number = 1; number <= kMost + 2; ++number) {
    card.collective.entry(number).sequence = 100 + number;
    card.collective.begun = card.collective.told = number;
  }
  CardSample taken = sample(card, record, ticket);
  EXPECT_EQ(taken.collective.sequence, 100 + kMost + 2);
  EXPECT_EQ(taken.earlier.front().sequence, 100 + kMost + 1);
  EXPECT_EQ(taken.earlier.back().sequence, 103U);
  card.collective.begun += 1;  // which writes over the oldest
  taken = sample(card, record, ticket);
  EXPECT_EQ(taken.collective.sequence, 100 + kMost + 2);
  EXPECT_EQ(taken.earlier[taken.earlier.size() - 2].sequence, 104U);
  EXPECT_EQ(taken.earlier.back().sequence, 0U);
  card.collective.begun += kMost;
  EXPECT_EQ(sample(card, record, ticket).collective.sequence, 0U);
}

}  // namespace
}  // namespace starling::observe
