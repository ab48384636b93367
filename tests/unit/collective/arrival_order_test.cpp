// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reductions that go by arrival: right for every order in which ranks come, and done but for the last one's part before
// that one comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

using RankOrder = std::vector<std::int32_t>;

/// All orders of few ranks, random ones of many.
std::vector<RankOrder> orders(std::int32_t ranks) {
  RankOrder order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::vector<RankOrder> all;
  if (ranks <= 4) {
    do {
      all.push_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return all;
  }
  std::mt19937 random(20201120);
  for (int i = 0; i < 6; ++i) {
    std::shuffle(order.begin(), order.end(), random);
    all.push_back(order);
  }
  return all;
}

std::size_t position(const RankOrder& order, std::int32_t rank) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), rank) - order.begin());
}

Arguments sum(Operation operation, comm::Communicator& comm, const std::vector<std::int64_t>& send,
              std::vector<std::int64_t>& receive) {
  Arguments a;
  a.operation = operation;
  a.comm = &comm;
  a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  a.receive_type = &datatype::predefined(datatype::Basic::kInt64);
  a.receive_count = static_cast<std::int64_t>(send.size());
  a.send_buffer = send.data();
  a.receive_buffer = receive.data();
  return a;
}

class ArrivalOrder : public testing::TestWithParam<std::int32_t> {};

TEST_P(ArrivalOrder, DoesNotChangeTheSum) {
  const std::int32_t ranks = GetParam();
  const std::vector<RankOrder> all = orders(ranks);
  const std::vector<std::int64_t> counts = {7, 1000, 20000};  // of eight bytes: in segments, and too long for one
  std::vector<std::atomic<std::size_t>> entered(all.size() * counts.size() * 2);
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine({{"COLL_REDUCE", "arrival_order"}, {"COLL_ALLREDUCE", "arrival_order"}});
    auto comm = world.communicator();
    std::size_t call = 0;
    for (const std::int64_t count : counts) {
      for (const RankOrder& order : all) {
        for (const Operation operation : {Operation::kReduce, Operation::kAllreduce}) {
          const std::vector<std::int64_t> send(static_cast<std::size_t>(count), world.rank() + 1);
          std::vector<std::int64_t> receive(send.size(), -1);
          Arguments a = sum(operation, *comm, send, receive);
          a.root = static_cast<std::int32_t>(call) % ranks;
          std::atomic<std::size_t>& now = entered[call++];
          while (now.load() != position(order, world.rank())) std::this_thread::yield();
          ++now;
          const Status status = engine->run(a);
          ASSERT_TRUE(status.ok()) << status.message();
          if (operation == Operation::kReduce && a.root != world.rank()) continue;
          const std::vector<std::int64_t> expected(send.size(), std::int64_t{ranks} * (ranks + 1) / 2);
          ASSERT_EQ(receive, expected) << "call " << call << ", rank " << world.rank();
        }
      }
    }
  });
}

TEST_P(ArrivalOrder, LetsRanksThatHaveLeftTheirPartGoOnBeforeTheLastComes) {
  const std::int32_t ranks = GetParam();
  std::atomic<std::int32_t> left{0};
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine({{"COLL_REDUCE", "arrival_order"}});
    auto comm = world.communicator();
    const std::vector<std::int64_t> send(1000, 1);
    std::vector<std::int64_t> receive(send.size(), -1);
    Arguments a = sum(Operation::kReduce, *comm, send, receive);
    a.root = ranks - 1;
    if (world.rank() == a.root) {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (left.load() < ranks - 1 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
      EXPECT_EQ(left.load(), ranks - 1);
    }
    const Status status = engine->run(a);
    EXPECT_TRUE(status.ok()) << status.message();
    ++left;
    const std::vector<std::int64_t> expected(send.size(), world.rank() == a.root ? ranks : -1);
    EXPECT_EQ(receive, expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, ArrivalOrder, testing::Values(2, 3, 4, 5, 7, 8, 12, 16));

}  // namespace
}  // namespace starling::collective::test
