// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/schedule/validate.hpp"

#include <gtest/gtest.h>

#include "arrival/methods/generate.hpp"
#include "unit/arrival/instances.hpp"

namespace starling::arrival {
namespace {

const Instance kInstance{{0, 0, 0, 11}, 0, 4, 10};

void expect_wrong(const Schedule& schedule, const std::string& word, const Instance& instance = kInstance) {
  const Status verdict = validate(instance.pattern(), schedule);
  ASSERT_FALSE(verdict.ok()) << word;
  EXPECT_NE(verdict.message().find(word), std::string::npos) << verdict.message();
}

Schedule good() { return make_schedule(kInstance.pattern()).value(); }

TEST(Validator, PassesAGoodSchedule) { EXPECT_TRUE(validate(kInstance.pattern(), good()).ok()); }

TEST(Validator, MissesALostContribution) {
  Schedule schedule = good();
  schedule.transfers.pop_back();
  schedule.rounds.pop_back();
  expect_wrong(schedule, "of 4 contributions");
}

TEST(Validator, CatchesTwoSendsAndTwoReceivesInARound) {
  Schedule schedule = good();
  schedule.transfers[1] = {2, 1, 1};
  expect_wrong(schedule, "sends twice");
  schedule.transfers[1] = {0, 2, 1};
  expect_wrong(schedule, "receives twice");
}

TEST(Validator, CatchesSendingOnInTheRoundOfReceiving) {
  Schedule schedule = good();
  schedule.transfers[1] = {2, 0, 0};
  expect_wrong(schedule, "received in the same round");
}

TEST(Validator, CatchesASenderThatHasNotArrived) {
  Schedule schedule = good();
  schedule.transfers[1] = {1, 3, 1};
  expect_wrong(schedule, "sender is not at work");
  schedule.transfers[1] = {3, 0, 1};
  expect_wrong(schedule, "receiver is not at work");
}

TEST(Validator, CatchesASenderThatHasNothingLeft) {
  Schedule schedule = good();
  schedule.transfers[2] = {0, 1, 0};
  expect_wrong(schedule, "does not have it");
}

TEST(Validator, CatchesWrongIndicesAndRounds) {
  Schedule schedule = good();
  schedule.transfers[0].segment = 4;
  expect_wrong(schedule, "no such process or segment");
  schedule = good();
  schedule.transfers[0].receiver = 1;
  expect_wrong(schedule, "sends to itself");
  schedule = good();
  schedule.rounds[1].number = 0;
  expect_wrong(schedule, "stands after round");
}

TEST(Validator, CatchesARootThatSendsThoughItOnlyTakes) {
  Instance instance = kInstance;
  instance.root_role = RootRole::kOnlyTakes;
  expect_wrong(good(), "the root sends", instance);
}

}  // namespace
}  // namespace starling::arrival
