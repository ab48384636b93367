// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Nobody is late where ranks come apart by less than a call takes, as they do wherever they share cores: no call goes
// around anybody, and most need not be watched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "arrival/drive/call_driver.hpp"
#include "arrival/predict/predictor.hpp"

namespace starling::arrival {
namespace {

constexpr double kMessage_s = 14e-6;
constexpr double kCall_s = 400e-6;
constexpr int kManyCalls = 2000;

struct Answers {
  int around = 0;
  int calm = 0;
};

/// Calls to which processes come apart by up to `scatter_s`, always the same one last, and one of them `outlier_s`
/// later in one call of fifty.
Answers scattered(int processes, double scatter_s, double outlier_s, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  CallDriver driver;
  std::vector<Lateness> lateness(static_cast<std::size_t>(processes));
  std::vector<Predictor> predictors(lateness.size());
  Answers count;
  for (int call = 0; call < kManyCalls; ++call) {
    std::vector<Ticks> predicted;
    for (const Predictor& predictor : predictors) predicted.push_back(std::llround(1e9 * predictor.predict()));
    const Ticks first = *std::min_element(predicted.begin(), predicted.end());
    for (Ticks& time : predicted) time -= first;
    const Choice::Way way = driver.decide(predicted, kMessage_s).way;
    count.around += way == Choice::Way::kScheduled ? 1 : 0;
    count.calm += driver.is_calm() ? 1 : 0;
    std::vector<double> entered_s;
    for (int i = 0; i < processes; ++i) entered_s.push_back(0.9 * scatter_s * share(random));
    entered_s.back() = scatter_s;
    if (call % 50 == 49) entered_s[random() % entered_s.size()] += outlier_s;
    const double last_s = *std::max_element(entered_s.begin(), entered_s.end());
    const std::vector<double> left_s(entered_s.size(), last_s + kCall_s * (0.8 + 0.4 * share(random)));
    driver.learn({way, entered_s, left_s, predicted, kMessage_s}, lateness);
    for (std::size_t i = 0; i < predictors.size(); ++i) predictors[i].learn(entered_s[i]);
  }
  return count;
}

TEST(NobodyIsLate, WhereRanksComeApartByLessThanACallTakes) {
  for (const int processes : {3, 8, 16}) {
    const Answers count = scattered(processes, 0.75 * kCall_s, 0, 1);
    EXPECT_EQ(count.around, 0) << processes << " processes";
    EXPECT_GE(count.calm, kManyCalls - 10) << processes << " processes";
  }
}

// A process that lost its core once is not late for the next call.
TEST(NobodyIsLate, WhereOneLosesItsCoreNowAndThen) {
  for (const int processes : {8, 16}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Answers count = scattered(processes, 0.4 * kCall_s, 10 * kCall_s, seed);
      EXPECT_EQ(count.around, 0) << processes << " processes, seed " << seed;
      EXPECT_GE(count.calm, kManyCalls * 9 / 10) << processes << " processes, seed " << seed;
    }
  }
}

TEST(SomebodyIsLate, WhereOneComesLaterThanACallTakes) {
  const Answers count = scattered(8, 3 * kCall_s, 0, 1);
  EXPECT_GT(count.around, 5);
  EXPECT_LT(count.calm, kManyCalls / 2);
}

}  // namespace
}  // namespace starling::arrival
