// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Learnt algorithms: all ranks take the same one, both kinds are tried, and STARLING_COLL_LEARN=0 tries none.
#include "collective/choose/learnt_algorithms.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "collective/choose/list.hpp"
#include "collective/choose/shape.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

constexpr std::int64_t kLongBlock = 64 * 1024;

Selector selector_with(const Settings& settings) {
  config::Store config;
  for (const auto& [name, value] : settings) EXPECT_TRUE(config.set(name, value).ok());
  return Selector::create(config, 4).value();
}

TEST(LearntAlgorithms, HaveARivalOfTheOtherKind) {
  const Selector selector = selector_with({});
  for (const Operation operation : {Operation::kAlltoall, Operation::kAllgather, Operation::kScatter}) {
    const Shape shape = usual_shape(operation, 4, kLongBlock);
    const Algorithm* const rival = selector.rival(shape);
    ASSERT_NE(rival, nullptr) << name(operation);
    EXPECT_NE(rival->needs & kSharedBuffer, selector.choose(shape).needs & kSharedBuffer) << name(operation);
  }
  const Selector named = selector_with({{"COLL_ALLTOALL", "linear"}});
  EXPECT_EQ(named.rival(usual_shape(Operation::kAlltoall, 4, kLongBlock)), nullptr) << "a variable names it";
}

TEST(LearntAlgorithms, AreThoseOfLongCallsInWhichNobodyWaitsForALateCollector) {
  LearntAlgorithms learnt;
  const Selector selector = selector_with({});
  const auto is_learnt = [&](Operation operation, std::int64_t bytes, std::int32_t ranks = 4) {
    return learnt.find(usual_shape(operation, ranks, bytes), 1, selector) != nullptr;
  };
  EXPECT_TRUE(is_learnt(Operation::kAlltoall, kLongBlock));
  EXPECT_TRUE(is_learnt(Operation::kAllgather, kLongBlock));
  EXPECT_TRUE(is_learnt(Operation::kAllgatherv, 4 * kLongBlock));
  EXPECT_TRUE(is_learnt(Operation::kScatter, kLongBlock));
  EXPECT_FALSE(is_learnt(Operation::kAlltoall, 8 * 1024));
  EXPECT_FALSE(is_learnt(Operation::kScan, kLongBlock, 2));
  for (const Operation rooted :
       {Operation::kBcast, Operation::kGather, Operation::kGatherv, Operation::kScatterv, Operation::kReduce}) {
    EXPECT_FALSE(is_learnt(rooted, kLongBlock)) << name(rooted);
    EXPECT_TRUE(is_learnt(rooted, kLongBlock, 2)) << "who gives leads: " << name(rooted);
    EXPECT_FALSE(is_learnt(rooted, 8 * 1024, 2)) << name(rooted);
  }
  EXPECT_FALSE(is_learnt(Operation::kAllgatherv, kLongBlock / 2));
  EXPECT_FALSE(is_learnt(Operation::kScatter, kLongBlock / 4));
  EXPECT_FALSE(is_learnt(Operation::kAlltoall, kLongBlock, 1));
  for (const Operation sums :
       {Operation::kReduce, Operation::kAllreduce, Operation::kReduceScatter, Operation::kReduceScatterBlock}) {
    EXPECT_FALSE(is_learnt(sums, kLongBlock)) << "its bits";
    EXPECT_TRUE(is_learnt(sums, kLongBlock, 2)) << "two operands have one order";
    Shape ordered = usual_shape(sums, 2, kLongBlock);
    ordered.reproducible = true;
    EXPECT_EQ(learnt.find(ordered, 1, selector), nullptr);
  }
}

TEST(LearntAlgorithms, AreThoseOfTheLeaderOnAllRanks) {
  const Selector selector = selector_with({});
  const Shape shape = usual_shape(Operation::kScatter, 3, kLongBlock);
  constexpr std::int32_t kRoot = 2;
  LearntAlgorithms ranks[3];
  std::uint8_t said = 0;
  int rivals = 0;
  for (int call = 0; call < 2000; ++call) {
    // The leader first, so that the others find what it says.
    const Algorithm* taken = nullptr;
    for (const std::int32_t rank : {kRoot, 0, 1}) {
      LearntAlgorithm* const learnt = ranks[rank].find(shape, kRoot, selector);
      ASSERT_NE(learnt, nullptr);
      const auto agree = [&](std::uint8_t* byte) -> Status {
        if (rank == kRoot) said = *byte;
        *byte = said;
        return {};
      };
      ASSERT_TRUE(agree_on_next(*learnt, rank, agree).ok());
      if (rank == kRoot) taken = &learnt->held();
      EXPECT_EQ(taken, &learnt->held()) << "rank " << rank << ", call " << call;
    }
    rivals += taken == selector.rival(shape) ? 1 : 0;
  }
  EXPECT_GT(rivals, 0);
}

TEST(LearntAlgorithms, MayChangeBetweenTheCallsOfAProgramUnlessTheSettingForbidsIt) {
  for (const bool learns : {false, true}) {
    run_ranks(2, [learns](RankWorld& world) {
      const auto engine = world.engine({{"COLL_LEARN", learns ? "1" : "0"}});
      const Ref<comm::Communicator> comm = world.communicator();
      const std::int32_t peer = 1 - world.rank();
      const auto ints = static_cast<std::size_t>(kLongBlock / 4);
      Arguments a;
      a.operation = Operation::kAlltoall;
      a.comm = comm.get();
      a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kInt);
      a.send_count = a.receive_count = static_cast<std::int64_t>(ints);
      const auto messages = [&] {
        return world.p2p()
            .progress()
            .segment()
            .traffic()
            .count(LocalRank(world.rank()), WorldRank(peer))
            .read()
            .messages;
      };
      const auto before = messages();
      for (int call = 0; call < 300; ++call) {
        std::vector<int> out(2 * ints, call * 10 + world.rank());
        std::vector<int> in(2 * ints, -1);
        for (std::size_t i = 0; i < ints; ++i) out[static_cast<std::size_t>(peer) * ints + i] += 5;
        a.send_buffer = out.data();
        a.receive_buffer = in.data();
        ASSERT_TRUE(engine->run(a).ok());
        EXPECT_EQ(in[static_cast<std::size_t>(world.rank()) * ints + ints - 1], call * 10 + world.rank());
        EXPECT_EQ(in[static_cast<std::size_t>(peer) * ints], call * 10 + peer + 5);
        EXPECT_EQ(in[static_cast<std::size_t>(peer) * ints + ints - 1], call * 10 + peer + 5);
      }
      if (learns) {
        EXPECT_GT(messages(), before + 10) << "no rival was tried";
      } else {
        EXPECT_EQ(messages(), before) << "the model picks shared memory";
      }
    });
  }
}

/// A call of two ranks in which one gives the other a long block of ints, `value` and its rank; what the other has got,
/// 0 for who gives.
int give(Collectives& engine, comm::Communicator& comm, Operation operation, std::int32_t root, int value) {
  static constexpr std::int64_t kInts = kLongBlock / 4;
  const bool gives = operation == Operation::kBcast || operation == Operation::kScatter;
  std::vector<int> mine(2 * kInts, value + comm.rank());
  std::vector<int> result(2 * kInts, -1);
  if (operation == Operation::kBcast && comm.rank() == root) result = mine;
  Arguments a;
  a.operation = operation;
  a.comm = &comm;
  a.root = root;
  a.op = reduces(operation) ? &datatype::predefined(datatype::PredefinedOp::kSum) : nullptr;
  a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kInt);
  a.send_count = a.receive_count = kInts;
  a.send_buffer = mine.data();
  a.receive_buffer = result.data();
  EXPECT_TRUE(engine.run(a).ok());
  const bool receives = gives ? comm.rank() != root : comm.rank() == root;
  if (!receives) return 0;
  const std::size_t theirs = operation == Operation::kGather ? static_cast<std::size_t>(1 - root) * kInts : 0;
  EXPECT_EQ(result[theirs], result[theirs + kInts - 1]);
  return result[theirs];
}

TEST(LearntAlgorithms, CarryTheDataOfTwoRanksWhicheverIsTakenAndWhoeverGives) {
  run_ranks(2, [](RankWorld& world) {
    const auto engine = world.engine();
    const Ref<comm::Communicator> comm = world.communicator();
    for (int call = 0; call < 1500; ++call) {
      // The same root for a while, and then another one for each call.
      const std::int32_t root = call < 1000 ? call / 250 % 2 : call % 2;
      const int value = 10 * call;
      for (const Operation operation :
           {Operation::kBcast, Operation::kScatter, Operation::kGather, Operation::kReduce}) {
        const bool gives = operation == Operation::kBcast || operation == Operation::kScatter;
        const bool receives = gives ? comm->rank() != root : comm->rank() == root;
        const int theirs = gives ? value + root : value + 1 - root;
        const int expected = operation == Operation::kReduce ? 2 * value + 1 : theirs;
        ASSERT_EQ(give(*engine, *comm, operation, root, value), receives ? expected : 0)
            << name(operation) << ", call " << call;
      }
    }
  });
}

}  // namespace
}  // namespace starling::collective::test
