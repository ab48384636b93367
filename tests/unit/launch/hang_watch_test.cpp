// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// When the launcher looks at a job, with ranks and times that the test makes up.
#include "launch/watch/hang_watch.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "observe/model/snapshot_form.hpp"

namespace starling::launch {
namespace {

constexpr std::int64_t kScanNs = 900'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;

/// Two ranks, and a watch that sees what they do.
class WatchedPair : public testing::Test {
 protected:
  WatchedPair() { pair_.ranks.resize(2); }

  void waits(std::int32_t rank, bool quiet) {
    observe::RankSnapshot& each = at(rank, observe::Activity::kWaiting, "MPI_Recv");
    observe::Awaited awaited;
    awaited.peer = PeerId(1 - rank);
    awaited.tag = 7;
    awaited.context_id = 0;
    awaited.as = observe::AwaitedAs::kReceive;
    each.wait = observe::Wait(observe::WaitKind::kOne, awaited);
    each.quiet = quiet;
  }
  void tests(std::int32_t rank) {
    waits(rank, false);
    at(rank, observe::Activity::kTesting, "MPI_Test");
  }
  void goes_on(std::int32_t rank) { at(rank, observe::Activity::kActive, "MPI_Test"); }
  /// Scans as often as the launcher does, for so long.
  void pass(std::int64_t ns) {
    const std::int64_t end_ns = now_ns_ + ns;
    for (; now_ns_ < end_ns; now_ns_ += kScanNs) {
      NodeScan scan;
      scan.there = scan.idle = 2;
      scan.state = 77;
      for (observe::RankSnapshot& rank : pair_.ranks) {
        scan.waiting += rank.activity == observe::Activity::kWaiting ? 1 : 0;
        rank.time_ns = now_ns_;
      }
      scan.waited_ns = scan.waiting > 0 ? now_ns_ : 0;
      watch().take(scan, now_ns_);
    }
  }
  HangWatch& watch() {
    if (watch_) return *watch_;
    const auto ask = [this](const Query& query, const Queries::Done& done) {
      looks_ += query.kind == QueryKind::kSnapshot ? 1 : 0;
      Answers answers;
      answers.ranks = 2;
      answers.nodes.push_back({{}, {0, 1}, {{}, observe::serialised(pair_)}});
      done(std::move(answers));
    };
    watch_.emplace(settings_,
                   HangWatch::Ways{[this] { return pair_; }, ask, [this](const std::string& lines) { said_ += lines; },
                                   [this](const std::string& lines) { ended_ += lines; }});
    return *watch_;
  }

  WatchSettings settings_;
  observe::Snapshot pair_;
  int looks_ = 0;
  std::string said_;
  std::string ended_;
  std::int64_t now_ns_ = kSecondNs;

 private:
  observe::RankSnapshot& at(std::int32_t rank, observe::Activity activity, const char* call) {
    observe::RankSnapshot& each = pair_.ranks[static_cast<std::size_t>(rank)];
    each.activity = activity;
    each.call = call;
    each.steps = 5;
    return each;
  }
  std::optional<HangWatch> watch_;
};

TEST_F(WatchedPair, IsEndedHoweverLateItsDeadlockIsProven) {
  settings_.on_deadlock = OnDeadlock::kEnd;
  settings_.quiet = true;  // no note is to come that would bring a look
  waits(0, true);
  waits(1, false);
  pass(600 * kSecondNs);
  EXPECT_EQ(ended_, "");
  EXPECT_LT(looks_, 80) << "the pauses grow";
  waits(1, true);
  pass(11 * kSecondNs);
  EXPECT_TRUE(
      ended_.starts_with("starling: deadlock: 0 waits for 1, 1 for 0, both in MPI_Recv with tag 7; the job "
                         "ends.\n"))
      << ended_;
}

TEST_F(WatchedPair, IsLeftAloneOnceItsDeadlockIsSaid) {
  waits(0, true);
  waits(1, true);
  pass(600 * kSecondNs);
  EXPECT_EQ(looks_, 1);
  EXPECT_EQ(said_.find("deadlock: "), said_.rfind("deadlock: "));
}

TEST_F(WatchedPair, IsToldOfWhereOneSeemsToGoOnInTheFirstLook) {
  tests(0);
  goes_on(1);
  pass(30 * kSecondNs);
  EXPECT_EQ(said_, "");
  tests(1);
  pass(11 * kSecondNs);
  EXPECT_NE(said_.find("loop of MPI_Test"), std::string::npos);
  EXPECT_LT(looks_, 15);
}

TEST_F(WatchedPair, IsToldOfWhereBothTestInVain) {
  tests(0);
  tests(1);
  pass(9 * kSecondNs);
  EXPECT_EQ(said_, "");
  pass(3 * kSecondNs);
  EXPECT_TRUE(
      said_.starts_with("starling: note: 0 is in a loop of MPI_Test that gets nowhere for 1 and 1 is in a loop "
                        "of MPI_Test that gets nowhere for 0.\n"))
      << said_;
  const std::string once = said_;
  pass(600 * kSecondNs);
  EXPECT_EQ(said_, once);
  EXPECT_LT(looks_, 4);
}

}  // namespace
}  // namespace starling::launch
