// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks that disagree on the size of a collective: somebody gets an error, nobody hangs, and the communicator still
// works.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "collective/choose/algorithm.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

Arguments arguments(Operation operation, comm::Communicator& comm, std::vector<std::int64_t>& send,
                    std::vector<std::int64_t>& receive, std::int64_t count) {
  Arguments a;
  a.operation = operation;
  a.comm = &comm;
  a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kInt64);
  a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  a.send_count = a.receive_count = count;
  a.send_buffer = send.data();
  a.receive_buffer = receive.data();
  return a;
}

/// Rank 0 says `other` elements, all others `usual`.
void expect_an_error(std::int32_t ranks, const Algorithm& algorithm, std::int64_t usual, std::int64_t other) {
  const Operation operation = algorithm.operation;
  SCOPED_TRACE(std::string(name(operation)) + " " + algorithm.name);
  std::atomic<int> failures{0};
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine({{variable(operation), algorithm.name}});
    auto comm = world.communicator();
    const auto most = static_cast<std::size_t>(std::max(usual, other) * ranks);
    std::vector<std::int64_t> send(most, 1);
    std::vector<std::int64_t> receive(most, 0);
    const Arguments wrong = arguments(operation, *comm, send, receive, world.rank() == 0 ? other : usual);
    const Status status = engine->run(wrong);
    if (!status.ok()) {
      EXPECT_EQ(status.error_class(), ErrorClass::kTruncate) << status.message();
      ++failures;
    }
    Arguments right = arguments(Operation::kAllreduce, *comm, send, receive, 2);
    const Status next = engine->run(right);
    EXPECT_TRUE(next.ok()) << next.message();
    EXPECT_EQ(receive[1], ranks);
  });
  EXPECT_GT(failures.load(), 0);
}

class Disagreement : public testing::TestWithParam<std::tuple<std::int32_t, bool>> {};

TEST_P(Disagreement, OnTheSizeIsAnErrorSomewhereAndHangsNowhere) {
  const bool large = std::get<1>(GetParam());
  for (const Operation operation :
       {Operation::kBcast, Operation::kReduce, Operation::kAllreduce, Operation::kGather, Operation::kScatter,
        Operation::kAllgather, Operation::kAlltoall, Operation::kScan, Operation::kReduceScatterBlock}) {
    for (const Algorithm* algorithm : algorithms(operation)) {
      if ((algorithm->needs & kInter) != 0) continue;      // two_groups_test.cpp
      if ((algorithm->needs & kPredicted) != 0) continue;  // nobody foresees these short calls: others would be run
      expect_an_error(std::get<0>(GetParam()), *algorithm, large ? 32 : 3, large ? 64 : 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RanksAndSizes, Disagreement,
                         testing::Combine(testing::Values(2, 4, 5), testing::Values(false, true)));

/// What goes through shared memory piece by piece goes on as long as anybody has something left.
TEST(DisagreementInPieces, OnTheSizeIsAnErrorSomewhereAndHangsNowhere) {
  for (const Operation operation : {Operation::kBcast, Operation::kScatter, Operation::kAlltoall}) {
    for (const Algorithm* algorithm : algorithms(operation)) {
      if (std::string(algorithm->name) != "shared") continue;
      for (const std::int32_t ranks : {2, 5}) {
        expect_an_error(ranks, *algorithm, 1000, 40'000);
        expect_an_error(ranks, *algorithm, 40'000, 1000);
        expect_an_error(ranks, *algorithm, 40'000, 90'000);
      }
    }
  }
}

/// Rank 0 sends `other` elements to each rank, all of which expect `usual`.
struct SentAndExpected {
  std::int64_t usual;
  std::int64_t other;
};

class DisagreementOfAlltoallv : public testing::TestWithParam<SentAndExpected> {};

TEST_P(DisagreementOfAlltoallv, IsAnErrorAndHangsNowhere) {
  const std::int64_t usual = GetParam().usual;
  const std::int64_t other = GetParam().other;
  for (const std::int32_t ranks : {2, 5}) {
    std::atomic<int> failures{0};
    run_ranks(ranks, [&](RankWorld& world) {
      auto engine = world.engine({{"COLL_ALLTOALLV", "shared"}});
      auto comm = world.communicator();
      const auto most = static_cast<std::size_t>(std::max(usual, other));
      std::vector<std::int64_t> send(most, 1);
      std::vector<std::int64_t> receive(most * static_cast<std::size_t>(ranks), 0);
      std::vector<int> sent(static_cast<std::size_t>(ranks), static_cast<int>(world.rank() == 0 ? other : usual));
      sent[static_cast<std::size_t>(world.rank())] = static_cast<int>(usual);
      const std::vector<int> expected(static_cast<std::size_t>(ranks), static_cast<int>(usual));
      const std::vector<int> from(static_cast<std::size_t>(ranks), 0);
      std::vector<int> to;
      for (std::int32_t rank = 0; rank < ranks; ++rank) to.push_back(static_cast<int>(most) * rank);
      Arguments a = arguments(Operation::kAlltoallv, *comm, send, receive, 0);
      a.send_counts = sent.data();
      a.send_displs = from.data();
      a.receive_counts = expected.data();
      a.receive_displs = to.data();
      const Status status = engine->run(a);
      if (!status.ok()) {
        EXPECT_EQ(status.error_class(), ErrorClass::kTruncate) << status.message();
        ++failures;
      }
      EXPECT_EQ(status.ok(), world.rank() == 0);
      const Status next = engine->run(arguments(Operation::kAllgather, *comm, send, receive, 1));
      EXPECT_TRUE(next.ok()) << next.message();
    });
    EXPECT_EQ(failures.load(), ranks - 1);
  }
}

INSTANTIATE_TEST_SUITE_P(ShortAndLong, DisagreementOfAlltoallv,
                         testing::Values(SentAndExpected{3, 4}, SentAndExpected{3, 0}, SentAndExpected{3, 60'000},
                                         SentAndExpected{60'000, 3}));

}  // namespace
}  // namespace starling::collective::test
