// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// When a note is due, with times as data.
#include "observe/analysis/note_rules.hpp"

#include <gtest/gtest.h>

#include "situation.hpp"

namespace starling::observe::test {
namespace {

constexpr NoteTimes kTimes{10 * kSecond, 60 * kSecond};

/// still_for_ns: since the same moment each time; 0: not at all.
Judgement judge(NoteRules& rules, const Snapshot& snapshot, std::int64_t still_for_ns = 0, std::int64_t since_ns = 1) {
  return rules.judge(snapshot, diagnose(snapshot), since_ns + still_for_ns, still_for_ns != 0 ? since_ns : 0);
}

/// 0 and 1 wait for each other, 2 runs.
Situation circle() {
  Situation situation(3);
  situation.receives(0, 1, 7).time_ns = kSecond / 10;
  situation.receives(1, 0, 7).time_ns = kSecond / 10;
  return situation;
}

/// 0 waits for 1, which has been in its own code for so long.
Situation late(std::int64_t away_ns, std::uint64_t steps = 5) {
  Situation situation(2);
  situation.receives(0, 1, 7).time_ns = away_ns;
  RankSnapshot& computing = situation.set(1, Activity::kOutside);
  computing.time_ns = away_ns;
  computing.steps = steps;
  return situation;
}

TEST(NoteRules, TellOfADeadlockAtOnceAndOnce) {
  NoteRules rules(kTimes);
  Situation situation = circle();
  EXPECT_EQ(judge(rules, situation.snapshot()).occasion, Occasion::kDeadlock);
  situation.snapshot().ranks[0].time_ns = 1000 * kSecond;
  EXPECT_EQ(judge(rules, situation.snapshot(), 1000 * kSecond).occasion, Occasion::kNone);
}

TEST(NoteRules, TellOfASecondDeadlock) {
  NoteRules rules(kTimes);
  EXPECT_EQ(judge(rules, circle().snapshot()).occasion, Occasion::kDeadlock);
  Situation more(4);
  more.receives(0, 1, 7);
  more.receives(1, 0, 7);
  more.receives(2, 3, 8);
  more.receives(3, 2, 8);
  EXPECT_EQ(judge(rules, more.snapshot()).occasion, Occasion::kDeadlock);
  EXPECT_EQ(judge(rules, more.snapshot()).occasion, Occasion::kNone);
}

TEST(NoteRules, TellOfWhatOnlySeemsADeadlockOnceItHasLasted) {
  NoteRules rules(kTimes);
  Situation situation = circle();
  situation.snapshot().ranks[0].threaded = true;
  for (RankSnapshot& rank : situation.snapshot().ranks) rank.time_ns = 4 * kSecond;
  const Judgement early = judge(rules, situation.snapshot());
  EXPECT_EQ(early.occasion, Occasion::kNone);
  EXPECT_EQ(early.again_ns, 6 * kSecond);
  for (RankSnapshot& rank : situation.snapshot().ranks) rank.time_ns = 10 * kSecond;
  EXPECT_EQ(judge(rules, situation.snapshot()).occasion, Occasion::kStill);
  EXPECT_EQ(judge(rules, situation.snapshot()).occasion, Occasion::kNone);
}

TEST(NoteRules, DoNotTakeTheTimeOfAnotherRankForThatOfWhatSeemsADeadlock) {
  NoteRules rules(kTimes);
  Situation situation(4);
  situation.receives(0, 1, 7).time_ns = 60 * kSecond;
  situation.receives(1, 0, 7).time_ns = kSecond / 50;
  situation.receives(2, 3, 7).time_ns = 60 * kSecond;
  situation.snapshot().ranks[0].threaded = true;
  const Judgement early = judge(rules, situation.snapshot());
  EXPECT_EQ(early.occasion, Occasion::kNone);
  EXPECT_EQ(early.again_ns, 10 * kSecond - kSecond / 50);
  situation.snapshot().ranks[1].time_ns = 10 * kSecond;
  EXPECT_EQ(judge(rules, situation.snapshot()).occasion, Occasion::kStill);
}

TEST(NoteRules, TellOfAMismatchOnceTheSecondOfItsCallsHasLasted) {
  NoteRules rules(kTimes);
  Situation situation(3);
  situation.in_collective(0, "MPI_Bcast", 1, 0, 0, 8).time_ns = 60 * kSecond;
  situation.in_collective(1, "MPI_Bcast", 1, 0, 2, 8).time_ns = 4 * kSecond;
  situation.in_collective(2, "MPI_Bcast", 1, 0, 2, 8).time_ns = kSecond;
  EXPECT_EQ(judge(rules, situation.snapshot()).again_ns, 6 * kSecond);
  situation.snapshot().ranks[1].time_ns = 10 * kSecond;
  EXPECT_EQ(judge(rules, situation.snapshot()).occasion, Occasion::kStill);
}

TEST(NoteRules, TellOfRanksThatHaveGoneOnceTheyHaveBeenSeenGoneForLong) {
  NoteRules rules(kTimes);
  Situation situation(2);
  situation.receives(0, 1, 7).time_ns = 60 * kSecond;
  situation.set(1, Activity::kFinalized);
  EXPECT_EQ(judge(rules, situation.snapshot(), 5 * kSecond).again_ns, 10 * kSecond);
  EXPECT_EQ(judge(rules, situation.snapshot(), 8 * kSecond).again_ns, 7 * kSecond);
  EXPECT_EQ(judge(rules, situation.snapshot(), 15 * kSecond).occasion, Occasion::kStill);
}

TEST(NoteRules, TellOfAJobInWhichAllTestInVain) {
  NoteRules rules(kTimes);
  Situation situation(2);
  for (const std::int32_t rank : {0, 1}) {
    situation.waits(rank, "MPI_Test", WaitKind::kTestLoop, {Situation::message(1 - rank, 9)}).activity =
        Activity::kTesting;
  }
  EXPECT_EQ(diagnose(situation.snapshot()).culprits, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(judge(rules, situation.snapshot(), 4 * kSecond).again_ns, 6 * kSecond);
  EXPECT_EQ(judge(rules, situation.snapshot(), 10 * kSecond).occasion, Occasion::kStill);
  // One of them tests for what may come from outside.
  NoteRules others(kTimes);
  situation.waits(1, "MPI_Test", WaitKind::kTestLoop, {Situation::message(3, 9)}).activity = Activity::kTesting;
  EXPECT_EQ(judge(others, situation.snapshot(), 10 * kSecond).occasion, Occasion::kNone);
}

TEST(NoteRules, TellOfAJobInWhichNothingCompletesAndThenOnlyIfItTakesLonger) {
  NoteRules rules(kTimes);
  Situation situation(2);
  situation.receives(0, 1, 7);
  situation.waits(1, "MPI_Test", WaitKind::kTestLoop, {Situation::message(0, 9)}).activity = Activity::kTesting;
  EXPECT_EQ(judge(rules, situation.snapshot(), 4 * kSecond).again_ns, 6 * kSecond);
  EXPECT_EQ(judge(rules, situation.snapshot(), 10 * kSecond).occasion, Occasion::kStill);
  EXPECT_EQ(judge(rules, situation.snapshot(), 50 * kSecond).occasion, Occasion::kNone) << "told already";
  EXPECT_EQ(judge(rules, situation.snapshot(), 0).occasion, Occasion::kNone);
  EXPECT_EQ(judge(rules, situation.snapshot(), 15 * kSecond, kSecond).occasion, Occasion::kNone) << "as long as before";
  EXPECT_EQ(judge(rules, situation.snapshot(), 21 * kSecond, kSecond).occasion, Occasion::kStill);
}

TEST(NoteRules, TellOfALateRankOnceAndThenOnlyIfItIsTwiceAsLate) {
  NoteRules rules(kTimes);
  const Judgement early = judge(rules, late(40 * kSecond).snapshot());
  EXPECT_EQ(early.occasion, Occasion::kNone);
  EXPECT_EQ(early.again_ns, 20 * kSecond);
  EXPECT_EQ(judge(rules, late(60 * kSecond).snapshot()).occasion, Occasion::kLate);
  EXPECT_EQ(judge(rules, late(600 * kSecond).snapshot()).occasion, Occasion::kNone) << "the same time outside";
  EXPECT_EQ(judge(rules, late(100 * kSecond, 6).snapshot()).occasion, Occasion::kNone) << "not twice as late";
  EXPECT_EQ(judge(rules, late(120 * kSecond, 7).snapshot()).occasion, Occasion::kLate);
}

TEST(NoteRules, DoNotBlameARankForWhichOthersHaveJustBegunToWait) {
  NoteRules rules(kTimes);
  Situation situation = late(100 * kSecond);
  situation.snapshot().ranks[0].time_ns = kSecond;
  EXPECT_EQ(judge(rules, situation.snapshot()).occasion, Occasion::kNone);
}

TEST(NoteRules, NeverTellOfLateRanksWhereNobodyWantsToKnow) {
  NoteRules rules({10 * kSecond, 0});
  EXPECT_EQ(judge(rules, late(600 * kSecond).snapshot()).occasion, Occasion::kNone);
}

TEST(NoteRules, SayNothingWhileADebuggerHasStoppedARank) {
  NoteRules rules(kTimes);
  Situation situation(2);
  situation.receives(0, 1, 7).time_ns = 600 * kSecond;
  situation.set(1, Activity::kStopped).time_ns = 600 * kSecond;
  EXPECT_EQ(judge(rules, situation.snapshot()).occasion, Occasion::kNone);
  EXPECT_EQ(judge(rules, situation.snapshot(), 600 * kSecond).occasion, Occasion::kNone);
}

TEST(NoteRules, SayNothingOfServersThatWaitForClients) {
  NoteRules rules(kTimes);
  Situation situation(1);
  situation.waits(0, "MPI_Comm_accept", WaitKind::kConnection, {});
  EXPECT_EQ(judge(rules, situation.snapshot(), 600 * kSecond).occasion, Occasion::kNone);
  Situation spawned(1);
  spawned.receives(0, 3, 7);  // of another job
  EXPECT_EQ(judge(rules, spawned.snapshot(), 600 * kSecond).occasion, Occasion::kNone);
}

}  // namespace
}  // namespace starling::observe::test
