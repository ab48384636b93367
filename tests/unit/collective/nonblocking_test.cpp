// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives: several under way at once, on one communicator and on two, mixed with blocking ones.
#include <gtest/gtest.h>

#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

Arguments sum(comm::Communicator& comm, const std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
  Arguments a;
  a.operation = Operation::kAllreduce;
  a.comm = &comm;
  a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
  a.receive_type = &datatype::predefined(datatype::Basic::kInt64);
  a.receive_count = static_cast<std::int64_t>(from.size());
  a.send_buffer = from.data();
  a.receive_buffer = to.data();
  return a;
}

Arguments barrier(comm::Communicator& comm) {
  Arguments a;
  a.operation = Operation::kBarrier;
  a.comm = &comm;
  return a;
}

/// A vector that each rank contributes, and the sum over all.
std::vector<std::int64_t> part(std::int64_t rank, std::size_t length, std::int64_t salt) {
  return std::vector<std::int64_t>(length, (rank + 1) * 10 + salt);
}
std::vector<std::int64_t> whole(std::int64_t ranks, std::size_t length, std::int64_t salt) {
  return std::vector<std::int64_t>(length, ranks * (ranks + 1) * 5 + ranks * salt);
}

class Nonblocking : public testing::TestWithParam<const char*> {};

TEST_P(Nonblocking, CollectivesUnderWayTogetherNeverMix) {
  const std::vector<std::size_t> lengths = {1, 5, 1000, 1, 20000, 0, 3};
  run_ranks(4,
            [&](RankWorld& world) {
              auto engine = world.engine({{"COLL_ALLREDUCE", GetParam()}});
              auto first = world.communicator();
              auto second = world.communicator();
              for (int round = 0; round < 3; ++round) {
                std::vector<std::vector<std::int64_t>> send;
                std::vector<std::vector<std::int64_t>> receive;
                for (std::size_t i = 0; i < lengths.size(); ++i) {
                  send.push_back(part(world.rank(), lengths[i], static_cast<std::int64_t>(i)));
                  receive.emplace_back(lengths[i]);
                }
                std::vector<p2p::Request*> requests;
                for (std::size_t i = 0; i < lengths.size(); ++i) {
                  auto started = engine->start(sum(i % 3 == 2 ? *second : *first, send[i], receive[i]));
                  EXPECT_TRUE(started.ok());
                  requests.push_back(started.value());
                }
                EXPECT_TRUE(engine->run(barrier(*first)).ok());
                // Waiting in another order than they were started is the user's right.
                for (std::size_t i = requests.size(); i-- > 0;) {
                  world.p2p().wait(*requests[i]);
                  EXPECT_TRUE(requests[i]->failure.ok()) << requests[i]->failure.message();
                  requests[i]->dispose();
                  EXPECT_EQ(receive[i], whole(world.size(), lengths[i], static_cast<std::int64_t>(i)));
                }
              }
            },
            {});
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Nonblocking,
                         testing::Values("auto", "shared", "shared_slices", "recursive_doubling", "ring",
                                         "reduce_bcast"));

TEST(NonblockingRequests, RequestsMayBeGivenUpBeforeTheyAreComplete) {
  run_ranks(3, [](RankWorld& world) {
    auto engine = world.engine();
    auto comm = world.communicator();
    for (int round = 0; round < 20; ++round) {
      auto started = engine->start(barrier(*comm));
      ASSERT_TRUE(started.ok());
      started.value()->dispose();
    }
    EXPECT_TRUE(engine->run(barrier(*comm)).ok());
  });
}

TEST(NonblockingRequests, CommunicatorAndTypesLiveUntilCompletion) {
  run_ranks(2, [](RankWorld& world) {
    auto engine = world.engine({{"COLL_BCAST", "binomial"}});
    auto comm = world.communicator();
    auto type = datatype::Datatype::vector(4, 1, 2, datatype::predefined(datatype::Basic::kInt32)).value();
    type->commit();
    std::vector<std::int32_t> data(8, world.rank() == 0 ? 5 : 0);
    Arguments a;
    a.operation = Operation::kBcast;
    a.comm = comm.get();
    a.receive_buffer = data.data();
    a.receive_count = 1;
    a.receive_type = type.get();
    auto started = engine->start(a);
    ASSERT_TRUE(started.ok());
    type = {};
    comm = {};
    world.p2p().wait(*started.value());
    started.value()->dispose();
    EXPECT_EQ(data[0], 5);
    EXPECT_EQ(data[6], 5);
  });
}

TEST(CallsWithoutData, AreCountedAlikeHoweverTheyAreMade) {
  run_ranks(3, [](RankWorld& world) {
    auto engine = world.engine({{"COLL_ALLREDUCE", "ring"}});  // by messages, which calls name by their numbers
    auto comm = world.communicator();
    std::vector<std::int64_t> nothing;
    for (int round = 0; round < 5; ++round) {
      switch ((world.rank() + round) % 3) {
        case 0: EXPECT_TRUE(engine->pass_empty(*comm, Operation::kAllreduce, 0)); break;
        case 1: EXPECT_TRUE(engine->run(sum(*comm, nothing, nothing)).ok()); break;
        default:
          auto started = engine->start(sum(*comm, nothing, nothing));
          ASSERT_TRUE(started.ok());
          EXPECT_EQ(started.value(), &engine->empty_request());
          EXPECT_TRUE(started.value()->complete());
          started.value()->dispose();
      }
      const std::vector<std::int64_t> send = part(world.rank(), 2000, round);
      std::vector<std::int64_t> receive(send.size());
      EXPECT_TRUE(engine->run(sum(*comm, send, receive)).ok());
      EXPECT_EQ(receive, whole(world.size(), send.size(), round));
    }
  });
}

TEST(CallsWithoutData, ArePassedByTheRanksThatHaveNone) {
  for (const char* algorithm : {"linear", "shared"}) {
    run_ranks(3, [&](RankWorld& world) {
      auto engine = world.engine({{"COLL_GATHERV", algorithm}, {"COLL_ALLREDUCE", "ring"}});
      auto comm = world.communicator();
      for (int round = 0; round < 12; ++round) {
        // Only the rank after the root has a number. The others pass, or find out by themselves.
        const std::int32_t root = round % 3, giver = (root + 1) % 3;
        const std::int32_t number = 7 * round;
        std::int32_t got = -1;
        const std::int32_t counts[3] = {giver == 0, giver == 1, giver == 2}, displs[3] = {};
        Arguments a;
        a.operation = Operation::kGatherv;
        a.comm = comm.get();
        a.root = root;
        a.send_buffer = &number;
        a.send_count = world.rank() == giver ? 1 : 0;
        a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kInt32);
        a.receive_buffer = &got;
        a.receive_counts = counts;
        a.receive_displs = displs;
        const bool idle = world.rank() != root && world.rank() != giver;
        if (idle && round % 2 == 0) {
          EXPECT_TRUE(engine->pass_without_data(*comm, Operation::kGatherv, root));
        } else {
          EXPECT_TRUE(engine->run(a).ok());
        }
        EXPECT_EQ(got, world.rank() == root ? number : -1);
        const std::vector<std::int64_t> send = part(world.rank(), 2000, round);
        std::vector<std::int64_t> receive(send.size());
        EXPECT_TRUE(engine->run(sum(*comm, send, receive)).ok());
        EXPECT_EQ(receive, whole(world.size(), send.size(), round));
      }
    });
  }
}

TEST(CallsWithoutData, AreNotPassedWhereTheTableOfLateRanksCountsThem) {
  run_ranks(2, [](RankWorld& world) {
    auto engine = world.engine({{"LATE_TABLE", "true"}});
    auto comm = world.communicator();
    EXPECT_FALSE(engine->pass_without_data(*comm, Operation::kAlltoallv, 0));
  });
}

TEST(CallsWithoutData, AreNotPassedWhereRanksCompareCalls) {
  run_ranks(2, [](RankWorld& world) {
    auto engine = world.engine({{"CHECK", "collective"}});
    auto comm = world.communicator();
    EXPECT_FALSE(engine->pass_empty(*comm, Operation::kAllreduce, 0));
    EXPECT_FALSE(engine->pass_without_data(*comm, Operation::kGatherv, 0));
    std::vector<std::int64_t> nothing;
    EXPECT_TRUE(engine->run(sum(*comm, nothing, nothing)).ok());
  });
}

}  // namespace
}  // namespace starling::collective::test
