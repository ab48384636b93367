// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls whose delays are drawn, in a model: each process predicts itself, the schedule of the predicted arrivals is
// played with those that there are, and what calls cost as CallDriver has them go is compared, from the first call on,
// with what they cost plainly. A failure prints the pattern and its seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "arrival/drive/call_driver.hpp"
#include "arrival/methods/generate.hpp"
#include "arrival/predict/predictor.hpp"
#include "support/sanitized.hpp"

namespace starling::arrival {
namespace {

constexpr int kSegments = 8;
constexpr double kVector_s = 1;       // a whole vector's transfer; the model needs no unit
constexpr double kOblivious_s = 2.2;  // the best that needs no prediction: radix-k's share on simulated clusters
constexpr double kCompute_s = 50;

/// A transfer of a schedule that is played.
struct Move {
  Transfer transfer;
  int awaited = 0;     ///< transfers that must come into what it sends before
  double ready_s = 0;  ///< since when the others have
  bool done = false;
};

/// The exposed time of a reduce along the schedule of `predicted` times when processes come at `entered_s`. A process
/// sends one segment at a time and receives one, whichever can go soonest.
double played_s(const std::vector<Ticks>& predicted, const std::vector<double>& entered_s, double slowness) {
  const double segment_s = slowness * kVector_s / kSegments;
  const Pattern pattern{predicted, 0, kSegments, std::max<Ticks>(1, std::llround(1e9 * segment_s)),
                        RootRole::kOnlyTakes};
  const auto schedule = make_schedule(pattern);
  EXPECT_TRUE(schedule.ok());
  const auto feeds = [](const Transfer& first, const Transfer& next) {
    return first.receiver == next.sender && first.segment == next.segment;
  };
  std::vector<Move> moves;
  for (const Transfer& transfer : schedule.value().transfers) {
    Move move{transfer, 0, entered_s[transfer.sender]};
    for (const Move& before : moves) move.awaited += feeds(before.transfer, transfer) ? 1 : 0;
    moves.push_back(move);
  }
  std::vector<double> sends = entered_s;
  std::vector<double> receives = entered_s;
  double end_s = 0;
  for (std::size_t played = 0; played < moves.size(); ++played) {
    Move* next = nullptr;
    double start_s = 0;
    for (Move& move : moves) {
      if (move.done || move.awaited != 0) continue;
      const double could_s = std::max({move.ready_s, sends[move.transfer.sender], receives[move.transfer.receiver]});
      if (next != nullptr && could_s >= start_s) continue;
      next = &move;
      start_s = could_s;
    }
    next->done = true;
    end_s = std::max(end_s, start_s + segment_s);
    sends[next->transfer.sender] = receives[next->transfer.receiver] = start_s + segment_s;
    for (Move* move = next + 1; move < moves.data() + moves.size(); ++move) {
      if (!feeds(next->transfer, move->transfer)) continue;
      --move->awaited;
      move->ready_s = std::max(move->ready_s, start_s + segment_s);
    }
  }
  return end_s - *std::max_element(entered_s.begin(), entered_s.end());
}

enum class Delays { kNone, kSteady, kSteadyAll, kAlternating, kBlocks, kRandom, kOneRandom, kDrifting, kChanging };
const char* name_of(Delays kind) {
  constexpr const char* kNames[] = {"none",   "one late",      "all late", "alternating", "blocks",
                                    "random", "one at random", "drifting", "changing"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// How late each process is at each call, drawn from a seed.
class Draw {
 public:
  Draw(Delays kind, int processes, std::uint64_t seed)
      : random_(seed), kind_(kind), late_s_(static_cast<std::size_t>(processes)) {
    most_s_ = std::exp2(below(6)) * kVector_s;  // 1 to 32 vectors
    block_ = 2 + static_cast<int>(below(12));
    change_ = 3 + static_cast<int>(below(40));
    one_ = static_cast<std::size_t>(below(processes));
    for (double& late : late_s_) late = most_s_ * uniform();
  }

  std::vector<double> of(int call) {
    std::vector<double> delays(late_s_.size());
    const auto other = [&](std::size_t by) { return (one_ + by) % late_s_.size(); };
    if (kind_ == Delays::kSteady) delays[one_] = most_s_;
    if (kind_ == Delays::kSteadyAll) delays = late_s_;
    if (kind_ == Delays::kAlternating) delays[other(static_cast<std::size_t>(call % 2))] = most_s_;
    if (kind_ == Delays::kBlocks) delays[other(static_cast<std::size_t>(call / block_))] = most_s_;
    if (kind_ == Delays::kChanging) delays[other(call < change_ ? 0 : 1)] = most_s_;
    if (kind_ == Delays::kOneRandom) delays[other(static_cast<std::size_t>(below(256)))] = most_s_;
    if (kind_ == Delays::kRandom) {
      for (double& delay : delays) delay = most_s_ * uniform();
    }
    if (kind_ == Delays::kDrifting) {
      for (double& late : late_s_) late = std::clamp(late + 0.2 * most_s_ * (uniform() - 0.5), 0.0, most_s_);
      delays = late_s_;
    }
    for (double& delay : delays) delay += 0.05 * kVector_s * uniform();
    return delays;
  }
  double noise() { return 0.9 + 0.2 * uniform(); }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  double below(int limit) { return static_cast<double>(random_() % static_cast<std::uint64_t>(limit)); }

  std::mt19937_64 random_;
  Delays kind_;
  std::vector<double> late_s_;
  double most_s_ = 0;
  int block_ = 0;
  int change_ = 0;
  std::size_t one_ = 0;
};

struct Totals {
  double plain_s = 0;
  double own_s = 0;
  double worst = 0;  ///< how much more than plain at the worst moment, counted from the first call
};

/// `stale`: how many calls old predictions are. `slowness`: of messages along the schedule.
Totals play(Delays kind, int processes, std::uint64_t seed, int calls, int stale, double slowness) {
  Draw draw(kind, processes, seed);
  CallDriver driver;
  std::vector<Lateness> lateness(static_cast<std::size_t>(processes));
  std::vector<Predictor> predictors(lateness.size());
  std::vector<std::vector<Ticks>> told;  // what processes expected of each call
  Totals totals;
  for (int call = 0; call < calls; ++call) {
    std::vector<Ticks>& newest = told.emplace_back();
    for (const Predictor& predictor : predictors) newest.push_back(std::llround(1e9 * predictor.predict()));
    const Ticks first = *std::min_element(newest.begin(), newest.end());
    for (Ticks& time : newest) time -= first;
    const std::vector<Ticks>& predicted = told[static_cast<std::size_t>(std::max(0, call - stale))];
    const std::vector<double> entered_s = draw.of(call);
    const double plain_s = kOblivious_s * draw.noise();
    const double scheduled_s = played_s(predicted, entered_s, slowness) * draw.noise();
    const Choice::Way way = driver.decide(predicted, kVector_s).way;
    const double own_s = way == Choice::Way::kScheduled ? scheduled_s : plain_s;
    const double last_s = *std::max_element(entered_s.begin(), entered_s.end());
    const std::vector<double> left_s(entered_s.size(), last_s + own_s);
    driver.learn({way, entered_s, left_s, predicted, kVector_s}, lateness);
    totals.plain_s += plain_s;
    totals.own_s += own_s;
    totals.worst = std::max(totals.worst, totals.own_s / totals.plain_s - 1);
    for (std::size_t i = 0; i < predictors.size(); ++i) predictors[i].learn(kCompute_s + entered_s[i]);
  }
  return totals;
}

class NeverLoses : public testing::TestWithParam<Delays> {};

// At its worst moment one run in a hundred may lie beyond: where somebody else is late for the first time at the first
// call that goes around, nobody can know it.
TEST_P(NeverLoses, ThreeInAHundredToTheBestObliviousAlgorithm) {
  constexpr std::uint64_t kSeeds = kUnderSanitizer ? 1 : 4;
  std::string beyond;
  int runs = 0;
  int runs_beyond = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const int processes : {3, 8, 16}) {
      if (kUnderSanitizer && processes == 16) continue;
      for (const int stale : {0, 1, 5}) {
        for (const double slowness : {1.0, 1.6}) {
          const Totals run = play(GetParam(), processes, seed, 150, stale, slowness);
          const std::string what = std::string(name_of(GetParam())) + ", seed " + std::to_string(seed) + ", " +
                                   std::to_string(processes) + " processes, predictions " + std::to_string(stale) +
                                   " calls old, messages " + std::to_string(slowness) + " times as slow\n";
          EXPECT_LT(run.own_s, 1.03 * run.plain_s) << what;
          EXPECT_LT(run.worst, 0.15) << what;
          ++runs;
          if (run.worst < 0.03) continue;
          ++runs_beyond;
          beyond += what;
        }
      }
    }
  }
  EXPECT_LE(runs_beyond, 1 + runs / 100) << beyond;
}

// What it is for: with steady delays most of what there is to gain is gained.
TEST(Choice, GainsWhereDelaysAreSteady) {
  for (const int processes : {8, 16}) {
    const Totals run = play(Delays::kSteady, processes, 1, 400, 0, 1);
    EXPECT_LT(run.own_s, 0.65 * run.plain_s) << processes << " processes";
  }
}

INSTANTIATE_TEST_SUITE_P(Delays, NeverLoses,
                         testing::Values(Delays::kNone, Delays::kSteady, Delays::kSteadyAll, Delays::kAlternating,
                                         Delays::kBlocks, Delays::kRandom, Delays::kOneRandom, Delays::kDrifting,
                                         Delays::kChanging));

}  // namespace
}  // namespace starling::arrival
