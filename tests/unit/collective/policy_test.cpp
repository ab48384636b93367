// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which calls may go around late ranks, by each value of STARLING_LATE.
#include "collective/choose/policy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

constexpr std::int64_t kCount = 100000;

Policy policy(const Settings& settings) {
  config::Store config;
  for (const auto& [name, value] : settings) EXPECT_TRUE(config.set(name, value).ok());
  Result<Policy> made = Policy::create(config, 2);
  EXPECT_TRUE(made.ok());
  return made.value();
}

Arguments call(comm::Communicator& comm, Operation operation, datatype::Basic type) {
  Arguments a;
  a.operation = operation;
  a.comm = &comm;
  a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  a.send_type = a.receive_type = &datatype::predefined(type);
  a.send_count = a.receive_count = kCount;
  return a;
}

/// Sums of ints, sums of doubles, sums that are scattered, broadcasts: which of them may go around late ranks, as
/// letters.
std::string around(comm::Communicator& comm, const Settings& settings) {
  const Policy tried = policy(settings);
  std::string letters;
  const auto try_call = [&](const Arguments& a, char letter) {
    const bool may = tried.tracks(a, agreed_bytes(a)) && tried.late_handling_of(a) != LateHandling::kOnlyWatch;
    if (may) letters += letter;
  };
  for (const Operation sum : {Operation::kReduce, Operation::kAllreduce}) {
    try_call(call(comm, sum, datatype::Basic::kInt), 'i');
    try_call(call(comm, sum, datatype::Basic::kDouble), 'd');
  }
  try_call(call(comm, Operation::kReduceScatterBlock, datatype::Basic::kDouble), 'r');
  try_call(call(comm, Operation::kBcast, datatype::Basic::kDouble), 'b');
  return letters;
}

TEST(Policy, LetsThoseCallsGoAroundLateRanksThatTheSettingNames) {
  run_ranks(3, [](RankWorld& world) {
    const auto comm = world.communicator();
    EXPECT_EQ(around(*comm, {}), "ididr") << "the default";
    EXPECT_EQ(around(*comm, {{"LATE", "auto"}}), "ididr");
    EXPECT_EQ(around(*comm, {{"LATE", "any"}}), "ididrb");
    EXPECT_EQ(around(*comm, {{"LATE", "exact"}}), "ii");
    EXPECT_EQ(around(*comm, {{"LATE", "off"}}), "");
    for (const char* late : {"auto", "exact"}) {
      EXPECT_EQ(around(*comm, {{"LATE", late}, {"REPRODUCIBLE", "1"}}), "") << late;
    }
    EXPECT_EQ(around(*comm, {{"LATE", "any"}, {"REPRODUCIBLE", "1"}}), "b");
    EXPECT_EQ(around(*comm, {{"LATE_LEAST_BYTES", "500000"}}), "ddr") << "ints are shorter";
  });
}

TEST(Policy, KeepsAccountOfCallsOfTheProgramInEveryForm) {
  run_ranks(3, [](RankWorld& world) {
    const auto comm = world.communicator();
    Arguments sum = call(*comm, Operation::kReduce, datatype::Basic::kDouble);
    for (const Form form : {Form::kBlocking, Form::kNonblocking, Form::kPersistent, Form::kInternal, Form::kFinal}) {
      sum.form = form;
      EXPECT_EQ(policy({}).tracks(sum, agreed_bytes(sum)), form != Form::kInternal && form != Form::kFinal)
          << static_cast<int>(form);
    }
  });
}

TEST(Policy, WatchesEveryCallForTheTableAndForAlgorithmsThatNeedIt) {
  run_ranks(3, [](RankWorld& world) {
    const auto comm = world.communicator();
    const Policy usual = policy({});
    const Policy with_table = policy({{"LATE_TABLE", "1"}});
    const Arguments sum = call(*comm, Operation::kReduce, datatype::Basic::kDouble);
    const Arguments bcast = call(*comm, Operation::kBcast, datatype::Basic::kDouble);
    EXPECT_EQ(usual.late_handling_of(sum), LateHandling::kMayGoAround);
    EXPECT_FALSE(usual.tracks(bcast, agreed_bytes(bcast)));
    EXPECT_EQ(with_table.late_handling_of(sum), LateHandling::kGoAroundAndWatchAll);
    EXPECT_EQ(with_table.late_handling_of(bcast), LateHandling::kOnlyWatch);
    EXPECT_EQ(policy({{"COLL_REDUCE", "clairvoyant"}}).late_handling_of(sum), LateHandling::kGoAroundAndWatchAll);
    EXPECT_TRUE(with_table.tracks(bcast, agreed_bytes(bcast)));
  });
}

}  // namespace
}  // namespace starling::collective::test
