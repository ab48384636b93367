// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// When calls go around late processes: begun plainly, on evidence, and left at once.
#include "arrival/predict/choice.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "arrival/predict/evidence.hpp"

namespace starling::arrival {
namespace {

using Way = Choice::Way;

constexpr double kVector = 0.01;
constexpr double kPlain = 0.1;
constexpr double kSpread = 1.0;
constexpr double kRight = 3;  // bits of a prediction that was right: one of eight processes is late

Choice::Outcome outcome(Way way, double exposed_s, double evidence = kRight) { return {way, exposed_s, evidence}; }

/// Plain calls whose predictions are right, until the next goes around.
Choice learned() {
  Choice choice;
  for (int i = 0; i < 100 && choice.choose(kSpread, kVector).way == Way::kPlain; ++i) {
    choice.learn(outcome(Way::kPlain, kPlain));
  }
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kScheduled);
  return choice;
}

struct Sum {
  int scheduled = 0;
  double total_s = 0;
  double worst = 0;  ///< how much more than plain calls, at most, counted from the first
};

/// So many calls, the next like `cost` says of the number of scheduled calls before.
template <typename Cost>
Sum run(Choice& choice, int calls, double evidence, Cost&& cost) {
  Sum sum;
  for (int i = 1; i <= calls; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    const double taken_s = way == Way::kPlain ? kPlain : cost(sum.scheduled);
    sum.scheduled += way == Way::kScheduled ? 1 : 0;
    sum.total_s += taken_s;
    sum.worst = std::max(sum.worst, sum.total_s / (i * kPlain) - 1);
    choice.learn(outcome(way, taken_s, evidence));
  }
  return sum;
}

TEST(Evidence, SaysWhetherTheLastWasExpectedLast) {
  const std::array<Ticks, 8> predicted = {0, 0, 0, 0, 0, 0, 0, 5'000'000'000};
  std::array<double, 8> entered_s = {0, 0, 0.1, 0, 0, 0, 0, 4};
  EXPECT_DOUBLE_EQ(evidence(predicted, entered_s, 0.5), 3);
  EXPECT_DOUBLE_EQ(evidence({}, entered_s, 0.5), 0) << "nothing was predicted";
  EXPECT_DOUBLE_EQ(evidence(predicted, entered_s, 6), 0) << "it was predicted that nobody comes late";
  EXPECT_DOUBLE_EQ(spread_s(entered_s), 4);
  entered_s[7] = 0;
  EXPECT_DOUBLE_EQ(evidence(predicted, entered_s, 0.5), kRefuted) << "nobody was late";
  entered_s[2] = 4;
  EXPECT_DOUBLE_EQ(evidence(predicted, entered_s, 0.5), kRefuted) << "another was last";
  entered_s[7] = 4;
  EXPECT_DOUBLE_EQ(evidence(predicted, entered_s, 0.5), kRefuted) << "another was last as well";
}

TEST(Evidence, IsLessWhereMoreWereExpectedAsLate) {
  const std::array<Ticks, 4> predicted = {0, 0, 3'000'000'000, 3'100'000'000};
  const std::array<double, 4> third_last = {0, 0, 3, 2};
  EXPECT_DOUBLE_EQ(evidence(predicted, third_last, 0.5), 1) << "one of two";
  const std::array<double, 4> second_last = {0, 3, 1, 2};
  EXPECT_DOUBLE_EQ(evidence(predicted, second_last, 0.5), kRefuted) << "one of four";
}

TEST(Choice, BeginsPlainlyAndMovesOnEvidence) {
  Choice choice;
  int plain = 0;
  while (choice.choose(kSpread, kVector).way == Way::kPlain && plain < 100) {
    choice.learn(outcome(Way::kPlain, kPlain));
    ++plain;
  }
  EXPECT_GE(plain, 18 / kRight) << "chance alone could have it right so often";
  EXPECT_GE(0.03 * plain, 0.75) << "it could not afford to lose so much of a call";
  EXPECT_LE(plain, 33);
  EXPECT_NEAR(choice.plain_s(), kPlain, 1e-12);
}

TEST(Choice, DoesNotMoveWherePredictionsAreWrong) {
  Choice choice;
  EXPECT_EQ(run(choice, 2000, kRefuted, [](int) { return 3 * kPlain; }).scheduled, 0);
}

TEST(Choice, RunsPlainlyWhereArrivalsAreBalanced) {
  Choice choice = learned();
  EXPECT_EQ(choice.choose(kVector / 10, kVector).way, Way::kPlain);
}

/// Runs so many calls as one that looks at predictions only when an answer holds no longer; returns how often it
/// looked.
int looks(Choice& choice, int calls, double spread_s, double evidence) {
  int looked = 0;
  for (int i = 0; i < calls;) {
    const Choice::Answer answer = choice.choose(spread_s, kVector);
    ++looked;
    EXPECT_GE(answer.calls, 1);
    EXPECT_LE(answer.calls, Choice::kLongestHold);
    for (int held = 0; held < answer.calls; ++held, ++i) {
      const double taken_s = answer.way == Way::kPlain ? kPlain : 3 * kPlain;
      choice.learn({answer.way, taken_s, held == 0 ? evidence : 0});
    }
  }
  return looked;
}

TEST(Choice, LooksEverMoreRarelyWhereNobodyIsLate) {
  Choice choice;
  EXPECT_LE(looks(choice, 640, 0, 0), 1 + 6 + 9);  // to learn, then after 1, 2, ... 32 calls, then every 64
}

TEST(Choice, LooksEverMoreRarelyWherePredictionsAreWrong) {
  Choice choice;
  EXPECT_LE(looks(choice, 640, kSpread, kRefuted), 1 + 7 + 10);
}

TEST(Choice, FindsLatenessAtTheNextLookAndThenLooksOftenForAWhile) {
  Choice choice = learned();
  looks(choice, 1000, 0, 0);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kScheduled);
  EXPECT_EQ(choice.choose(0, kVector).calls, 1);
  EXPECT_EQ(choice.choose(0, kVector).calls, 2);
}

TEST(Choice, LooksAtEachCallWhereRanksTellOfThemselves) {
  Choice choice;
  looks(choice, 1000, 0, 0);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(choice.choose(0, kVector, 1).calls, 1);
}

TEST(Choice, StaysWithTheScheduleWhileItPays) {
  Choice choice = learned();
  const int scheduled = run(choice, 1000, kRight, [](int) { return kPlain / 2; }).scheduled;
  EXPECT_LE(scheduled, 995);  // it looks again now and then
  EXPECT_GE(scheduled, 980);
}

TEST(Choice, GoesBackAtOnceWhenPredictionsBecomeWrong) {
  Choice choice = learned();
  run(choice, 50, kRight, [](int) { return kPlain / 2; });
  EXPECT_EQ(run(choice, 40, kRefuted, [](int) { return 2 * kPlain; }).scheduled, 1);
  // And returns on new evidence, without a pause.
  EXPECT_GE(run(choice, 20, kRight, [](int) { return kPlain / 2; }).scheduled, 10);
}

TEST(Choice, ForgivesAProvenScheduleASlowCall) {
  Choice choice = learned();
  run(choice, 20, kRight, [](int) { return kPlain / 2; });
  const auto one_in_ten = [](int before) { return before % 10 == 9 ? 2 * kPlain : kPlain / 2; };
  EXPECT_GE(run(choice, 200, kRight, one_in_ten).scheduled, 160);
}

TEST(Choice, DoesNotJudgeTheFirstCallOfEitherWay) {
  Choice choice;
  choice.learn(outcome(Way::kPlain, 10));
  for (int i = 0; i < 10; ++i) choice.learn(outcome(Way::kPlain, kPlain));
  EXPECT_NEAR(choice.plain_s(), kPlain, 1e-12);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kScheduled);
  choice.learn(outcome(Way::kScheduled, 10));
  int plain = 0;  // as many as pay for what it is charged, without a pause
  while (choice.choose(kSpread, kVector).way == Way::kPlain && plain < 100) {
    choice.learn(outcome(Way::kPlain, kPlain));
    ++plain;
  }
  EXPECT_LT(plain, 8);
}

TEST(Choice, LeavesAScheduleThatHasBecomeSlowerThanPlain) {
  Choice choice = learned();
  for (int i = 0; i < 2000; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    choice.learn(outcome(way, way == Way::kScheduled ? kPlain / 2 : kPlain / 5));
  }
  EXPECT_LT(choice.plain_s(), 0.3 * kPlain);
  EXPECT_EQ(choice.choose(kSpread, kVector).way, Way::kPlain);
}

TEST(Choice, CapsTheLossWhereTheScheduleDoesNotPay) {
  Choice choice = learned();
  const Sum slow = run(choice, 2000, kRight, [](int) { return 3 * kPlain; });
  EXPECT_LE(slow.scheduled, 10);  // fewer and fewer tries
  EXPECT_GE(slow.scheduled, 3);   // but it goes on trying
  EXPECT_LT(slow.total_s, 1.03 * kPlain * 2000);
}

TEST(Choice, IsNotTakenInByLuckyCalls) {
  Choice choice = learned();
  const auto lucky = [](int before) { return before % 3 == 1 ? kPlain / 2 : 3 * kPlain; };
  EXPECT_LE(run(choice, 2000, kRight, lucky).scheduled, 2000 / 50);
}

TEST(Choice, ComesBackWhenPredictionsBecomeGood) {
  Choice choice = learned();
  run(choice, 60, kRight, [](int) { return 3 * kPlain; });
  EXPECT_GT(run(choice, 400, kRight, [](int) { return kPlain / 2; }).scheduled, 200);
}

// Predictions of which nobody knows how good they are: now right, now wrong.
TEST(Choice, TriesWithoutEvidenceOnlyWhatItHasPutBy) {
  Choice choice;
  Sum all;
  int first = 0;
  for (int i = 1; i <= 1000; ++i) {
    const Way way = choice.choose(kSpread, kVector).way;
    if (way == Way::kScheduled && first == 0) first = i;
    const double taken_s = way == Way::kScheduled ? 2 * kPlain : kPlain;
    all.total_s += taken_s;
    all.worst = std::max(all.worst, all.total_s / (i * kPlain) - 1);
    choice.learn(outcome(way, taken_s, i % 2 == 0 ? kRefuted : 1));
  }
  EXPECT_GE(first, 100) << "it could not afford to lose three calls";
  EXPECT_LE(first, 130);
  EXPECT_LT(all.worst, 0.03);
}

}  // namespace
}  // namespace starling::arrival
