// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Barriers hold everybody back until the last has come.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "collective/choose/algorithm.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

class Barriers : public testing::TestWithParam<std::int32_t> {};

/// Each rank counts itself in, and after a barrier sees that everybody of its round has.
class Rounds {
 public:
  void run(RankWorld& world, Collectives& engine, comm::Communicator& comm) {
    Arguments a;
    a.operation = Operation::kBarrier;
    a.comm = &comm;
    for (int round = 0; round < 100; ++round) {
      arrived_.fetch_add(1);
      const std::int64_t expected = rounds_of(world.rank()) * world.size();
      ASSERT_TRUE(engine.run(a).ok());
      // Between two barriers at most everybody has come once more.
      const std::int64_t seen = arrived_.load();
      ASSERT_GE(seen, expected);
      ASSERT_LE(seen, expected + world.size() - 1);
    }
  }

 private:
  std::int64_t rounds_of(std::int32_t rank) { return ++rounds_[static_cast<std::size_t>(rank)]; }

  std::atomic<std::int64_t> arrived_{0};
  std::array<std::int64_t, 32> rounds_{};
};

TEST_P(Barriers, OfEveryAlgorithmLetNobodyThroughBeforeTheLastHasCome) {
  Rounds rounds;
  run_ranks_with_few_and_many_cores(GetParam(), [&](RankWorld& world) {
    for (const Algorithm* algorithm : tried_algorithms()) {
      if (algorithm->operation != Operation::kBarrier || (algorithm->needs & kInter) != 0)
        continue;  // two_groups_test.cpp
      auto engine = world.engine({{"COLL_BARRIER", algorithm->name}});
      rounds.run(world, *engine, *world.communicator());
    }
  });
}

TEST_P(Barriers, LetNobodyThroughWithSeveralMessagesAtOnce) {
  Rounds rounds;
  run_ranks(GetParam(), [&](RankWorld& world) {
    for (const Settings& settings : several_at_once()) {
      auto engine = world.engine(settings);
      rounds.run(world, *engine, *world.communicator(Members::kOnSeveralNodes));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Barriers, testing::ValuesIn(rank_counts()));

TEST(Barrier, WakesRanksThatSleep) {
  run_ranks(6, [](RankWorld& world) {
    auto engine = world.engine();
    auto comm = world.communicator();
    Arguments a;
    a.operation = Operation::kBarrier;
    a.comm = comm.get();
    for (std::int32_t late = 0; late < 6; ++late) {
      if (world.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ASSERT_TRUE(engine->run(a).ok());
    }
  });
}

TEST(Bcast, RootThatRunsAheadNeverOverwritesWhatASlowReaderStillNeeds) {
  run_ranks(3, [](RankWorld& world) {
    auto engine = world.engine({{"COLL_BCAST", "shared"}});
    auto comm = world.communicator();
    for (std::int64_t round = 0; round < 400; ++round) {
      const std::size_t length = round % 5 == 0 ? 3000 : 1;
      std::vector<std::int64_t> data(length, world.rank() == 0 ? round : -1);
      if (world.rank() == 2 && round % 100 == 50) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      const Status status =
          engine->broadcast(*comm, data.data(), static_cast<std::int64_t>(length * sizeof(std::int64_t)), 0);
      ASSERT_TRUE(status.ok()) << status.message();
      ASSERT_EQ(data, std::vector<std::int64_t>(length, round));
    }
  });
}

}  // namespace
}  // namespace starling::collective::test
