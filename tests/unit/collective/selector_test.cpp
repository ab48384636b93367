// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The registry and the choice.
#include "collective/choose/selector.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <string>

#include "collective/choose/list.hpp"
#include "collective/choose/phases.hpp"
#include "collective/choose/shape.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

Selector selector(const Settings& settings = {}, std::int32_t cores = 2) {
  config::Store config;
  for (const auto& [name, text] : settings) EXPECT_TRUE(config.set(name, text).ok());
  auto made = Selector::create(config, cores);
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.value();
}

Shape shape(Operation operation, std::int32_t ranks, std::int64_t bytes) {
  Shape s;
  s.operation = operation;
  s.ranks = ranks;
  s.bytes = bytes;
  s.has_buffer = s.has_segments = ranks > 1;
  s.segment_bytes = 64 * 1024;
  return s;
}

TEST(Registry, HasNamesThatAreUniqueWithinTheirOperationAndStandTogether) {
  std::size_t listed = 0;
  for (std::int32_t i = 0; i < kOperationCount; ++i) {
    std::set<std::string> names;
    for (const Algorithm* algorithm : algorithms(static_cast<Operation>(i))) {
      EXPECT_TRUE(names.insert(algorithm->name).second) << algorithm->name;
      EXPECT_STRNE(algorithm->cost_text, "");
    }
    listed += names.size();
  }
  EXPECT_EQ(listed, algorithms().size());
}

TEST(Registry, HasForEveryOperationAnAlgorithmThatTakesAnyCall) {
  for (std::int32_t i = 0; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    const bool one_group_only =
        operation == Operation::kScan || operation == Operation::kExscan || among_neighbors(operation);
    for (const int kind : {0, 1, 2, 3}) {
      const bool fixed_order = (kind & 1) != 0;
      const bool inter = (kind & 2) != 0;
      if (inter && one_group_only) continue;
      Shape worst;
      worst.inter = inter;
      worst.operation = operation;
      worst.ranks = 7;
      worst.bytes = std::int64_t{1} << 40;
      worst.commutative = worst.dense = false;
      worst.reproducible = fixed_order;
      bool found = false;
      for (const Algorithm* algorithm : algorithms(worst.operation)) found |= misfit(*algorithm, worst).empty();
      EXPECT_TRUE(found) << name(worst.operation) << (inter ? " between two groups" : "");
    }
  }
}

TEST(Selector, RunsTheAlgorithmThatTheVariableNames) {
  for (const Algorithm* algorithm : algorithms()) {
    const Selector chooser = selector({{variable(algorithm->operation), algorithm->name}});
    Shape s = shape(algorithm->operation, 4, 1000);
    s.inter = (algorithm->needs & kInter) != 0;
    s.predicted = true;
    if ((algorithm->needs & (kLevels | kBetweenNodes)) != 0) s = usual_shape(algorithm->operation, 8, 1000, 2);
    ASSERT_EQ(misfit(*algorithm, s), "") << name(algorithm->operation) << " " << algorithm->name;
    EXPECT_EQ(&chooser.choose(s), algorithm);
    EXPECT_NE(chooser.explain(s).find("asked for"), std::string::npos);
  }
}

TEST(Selector, ListsTheNamesWhenTheVariableNamesNone) {
  config::Store config;
  ASSERT_TRUE(config.set("COLL_ALLREDUCE", "rign").ok());
  const auto made = Selector::create(config, 2);
  ASSERT_FALSE(made.ok());
  for (const Algorithm* algorithm : algorithms(Operation::kAllreduce)) {
    EXPECT_NE(made.status().message().find(algorithm->name), std::string::npos) << made.status().message();
  }
}

TEST(Selector, FallsBackWhenTheNamedAlgorithmDoesNotFitAndSaysSo) {
  const Selector chooser = selector({{"COLL_ALLREDUCE", "ring"}});
  Shape s = shape(Operation::kAllreduce, 4, 1000);
  s.commutative = false;
  EXPECT_STRNE(chooser.choose(s).name, "ring");
  EXPECT_NE(chooser.explain(s).find("needs a commutative operator"), std::string::npos) << chooser.explain(s);
}

TEST(Selector, TakesSharedMemoryForSmallDataOnOneNode) {
  const Selector chooser = selector();
  for (const Operation operation :
       {Operation::kBarrier, Operation::kBcast, Operation::kReduce, Operation::kAllreduce}) {
    for (const std::int32_t ranks : {2, 16, 32}) {
      EXPECT_STREQ(chooser.choose(shape(operation, ranks, operation == Operation::kBarrier ? 0 : 8)).name, "shared");
    }
  }
}

TEST(Selector, LetsARootThatSharesItsCoreRunAheadWithShortData) {
  const Selector chooser = selector();
  for (const std::int32_t ranks : {4, 8, 16, 32}) {
    for (const std::int64_t bytes : {8, 128, 1024}) {
      for (const Operation operation : {Operation::kBcast, Operation::kScatter, Operation::kScatterv}) {
        Shape s = shape(operation, ranks, operation == Operation::kScatterv ? 0 : bytes);
        EXPECT_STRNE(chooser.choose(s).name, "linear") << name(operation) << " " << ranks;
        s.root_stays = true;
        // In the shared buffer, where there are as many places as calls, or else in the receivers' rings.
        const bool many = operation == Operation::kScatter && bytes * (ranks - 1) > 2048;
        EXPECT_STREQ(chooser.choose(s).name, many ? "linear" : "shared") << name(operation) << " " << ranks;
      }
    }
    Shape s = shape(Operation::kBcast, ranks, 64 * 1024);
    s.root_stays = true;
    EXPECT_STREQ(chooser.choose(s).name, "shared") << ranks;
  }
}

TEST(Selector, LetsThoseRunAheadWhoGiveToARootThatStays) {
  const Selector chooser = selector();
  for (const std::int32_t ranks : {8, 16}) {
    Shape s = shape(Operation::kGather, ranks, 64 * 1024);
    const double taking_turns = chooser.cost(s);
    s.root_stays = true;
    EXPECT_STREQ(chooser.choose(s).name, "shared") << ranks;
    EXPECT_LT(chooser.cost(s), 0.9 * taking_turns) << ranks;
  }
}

TEST(Selector, CountsTheLinkThatTheRanksOfANodeShare) {
  const Selector chooser = Selector::create({}, 8).value();
  Shape s = usual_shape(Operation::kAllgather, 128, 64 * 1024, 16);
  s.levels &= ~kTwoLevels;  // flat ones only
  const Machine machine = chooser.machine(s);
  EXPECT_EQ(machine.sharers, 8);
  EXPECT_STREQ(cheapest(s, machine.with_own_links()).name, "recursive_doubling");
  EXPECT_STREQ(chooser.choose(s).name, "ring") << "one rank of a node uses its link";
  s.levels &= ~kInNodeOrder;
  EXPECT_STRNE(chooser.choose(s).name, "ring") << "all of them do";
}

/// In a lane a byte takes as long as in all lanes together, so long messages in few steps are no bargain.
TEST(Selector, ChoosesForALaneAsTheLanesAreModelled) {
  const Selector chooser = Selector::create({}, 8).value();
  Shape s = shape(Operation::kAllreduce, 16, 8192);
  s.distance = tuning::Distance::kNetwork;
  s.has_buffer = s.has_segments = false;
  s.nodes = 16;
  s.node_ranks = 1;
  const Machine whole = chooser.machine(s);
  const Machine lane = of_lane(whole, 8, 16);
  EXPECT_DOUBLE_EQ(lane.long_byte_ns, 8 * whole.long_byte_ns);
  EXPECT_EQ(lane.cores, 16);
  EXPECT_STRNE(chooser.choose(s, lane).name, chooser.choose(s, whole).name);
}

TEST(Selector, SendsNothingStraightToManyRanksOfOtherNodes) {
  const Selector chooser = selector();
  for (const std::int32_t ranks : {16, 1024}) {
    Shape s = shape(Operation::kBcast, ranks, 8);
    s.has_buffer = s.has_segments = false;
    s.root_stays = true;
    EXPECT_STREQ(chooser.choose(s).name, "binomial");
  }
}

TEST(Selector, ReducesLongVectorsInSharedMemoryWhateverTheCores) {
  const Selector chooser = selector();
  for (const std::int32_t ranks : {2, 4, 8}) {
    for (const std::int64_t bytes : {64 << 10, 256 << 10, 512 << 10}) {
      EXPECT_STREQ(chooser.choose(shape(Operation::kReduce, ranks, bytes)).name, "shared") << ranks << " " << bytes;
    }
  }
}

TEST(Selector, GoesByTheConstantsOfTheTuningText) {
  const Shape s = shape(Operation::kBcast, 2, 8);
  EXPECT_STREQ(selector().choose(s).name, "shared");
  const Settings dear_lines = {{"TUNING", "near.line_ns=100000 near.message_ns=1"}};
  EXPECT_STRNE(selector(dear_lines).choose(s).name, "shared");
  Settings overridden = dear_lines;
  overridden.emplace_back("COLL_MESSAGE_NS", "1e9");
  EXPECT_STREQ(selector(overridden).choose(s).name, "shared") << "a variable holds over the file";
}

TEST(Selector, TakesEachConstantFromTheVariableOfItsName) {
  using tuning::Constants;
  using tuning::LinkCosts;
  constexpr struct {
    const char* variable;
    double LinkCosts::*link;
    double Constants::*whole;
  } kVariables[] = {{"COLL_MESSAGE_NS", &LinkCosts::message_ns, nullptr},
                    {"COLL_NEXT_NS", &LinkCosts::next_ns, nullptr},
                    {"COLL_SEND_NS", &LinkCosts::send_ns, nullptr},
                    {"COLL_BYTE_NS", &LinkCosts::byte_ns, nullptr},
                    {"COLL_LONG_NS", &LinkCosts::long_ns, nullptr},
                    {"COLL_LONG_BYTE_NS", &LinkCosts::long_byte_ns, nullptr},
                    {"COLL_LINE_NS", &LinkCosts::line_ns, nullptr},
                    {"COLL_COPY_BYTE_NS", &LinkCosts::copy_byte_ns, nullptr},
                    {"COLL_FOLD_BYTE_NS", &LinkCosts::fold_byte_ns, nullptr},
                    {"COLL_OWN_BYTE_NS", nullptr, &Constants::own_byte_ns},
                    {"COLL_REDUCE_BYTE_NS", nullptr, &Constants::reduce_byte_ns},
                    {"COLL_TURN_NS", nullptr, &Constants::turn_ns}};
  static_assert(std::size(kVariables) == sizeof(LinkCosts) / sizeof(double) + 3, "each constant has its variable");
  for (const auto& [variable, link, whole] : kVariables) {
    const Selector chooser = selector({{variable, "54321"}});
    for (const auto distance : {tuning::Distance::kNear, tuning::Distance::kFar, tuning::Distance::kNuma}) {
      const Constants& constants = chooser.machine(distance).constants;
      EXPECT_EQ(link != nullptr ? constants.at(distance).*link : constants.*whole, 54321) << variable;
    }
  }
}

TEST(Registry, HasAVariableForEachOperationByItsName) {
  const std::set<std::string> documented = {"STARLING_COLL_ALLGATHER",
                                            "STARLING_COLL_ALLGATHERV",
                                            "STARLING_COLL_ALLREDUCE",
                                            "STARLING_COLL_ALLTOALL",
                                            "STARLING_COLL_ALLTOALLV",
                                            "STARLING_COLL_ALLTOALLW",
                                            "STARLING_COLL_BARRIER",
                                            "STARLING_COLL_BCAST",
                                            "STARLING_COLL_EXSCAN",
                                            "STARLING_COLL_GATHER",
                                            "STARLING_COLL_GATHERV",
                                            "STARLING_COLL_NEIGHBOR_ALLGATHER",
                                            "STARLING_COLL_NEIGHBOR_ALLGATHERV",
                                            "STARLING_COLL_NEIGHBOR_ALLTOALL",
                                            "STARLING_COLL_NEIGHBOR_ALLTOALLV",
                                            "STARLING_COLL_NEIGHBOR_ALLTOALLW",
                                            "STARLING_COLL_REDUCE",
                                            "STARLING_COLL_REDUCE_SCATTER",
                                            "STARLING_COLL_REDUCE_SCATTER_BLOCK",
                                            "STARLING_COLL_SCAN",
                                            "STARLING_COLL_SCATTER",
                                            "STARLING_COLL_SCATTERV"};
  std::set<std::string> names;
  for (std::int32_t i = 0; i < kOperationCount; ++i) names.insert(variable(static_cast<Operation>(i)));
  EXPECT_EQ(names, documented) << "programs are started with these";
}

TEST(Selector, SeesRanksByTheConstantsOfTheirDistance) {
  const Selector chooser = selector({{"TUNING", "near.line_ns=10 numa.line_ns=100000 numa.message_ns=1"}});
  Shape s = shape(Operation::kBcast, 2, 8);
  const double near_ns = chooser.cost(s);
  EXPECT_STREQ(chooser.choose(s).name, "shared");
  s.distance = tuning::Distance::kFar;
  EXPECT_EQ(chooser.cost(s), near_ns) << "of which nothing is known but what nearer ones cost";
  s.distance = tuning::Distance::kNuma;
  EXPECT_STRNE(chooser.choose(s).name, "shared");
  EXPECT_EQ(chooser.machine(tuning::Distance::kNear).at(tuning::Distance::kNuma).line_ns, 100000);
  EXPECT_NE(chooser.explain(tuning::Distance::kNuma).find("numa"), std::string::npos);
}

TEST(Selector, SendsStraightWhereMessagesAreOnTheirWayAtTheSameTime) {
  const std::string slow =
      "network.message_ns=11000 network.byte_ns=0.8 network.long_ns=22000 network.long_byte_ns=0.8";
  for (const Operation operation : {Operation::kGather, Operation::kScatter, Operation::kReduce}) {
    const Shape few = usual_shape(operation, 8, 8, 8);
    EXPECT_STREQ(selector({{"TUNING", slow + " network.next_ns=500 network.send_ns=500"}}).choose(few).name, "linear");
    EXPECT_STREQ(selector({{"TUNING", slow + " network.next_ns=11000 network.send_ns=11000"}}).choose(few).name,
                 "binomial");
    const Shape many = usual_shape(operation, 1024, 8, 1024);
    const char* tree = operation == Operation::kReduce ? "postal" : "binomial";
    EXPECT_STREQ(selector({{"TUNING", slow + " network.next_ns=500 network.send_ns=500"}}).choose(many).name, tree);
  }
  // A tree sends nearly all blocks twice over somebody's link.
  const Shape longer = usual_shape(Operation::kScatter, 32, 1 << 20, 32);
  EXPECT_STREQ(selector({{"TUNING", slow + " network.next_ns=500 network.send_ns=500"}}).choose(longer).name, "linear");
}

TEST(Selector, CountsNoMoreForTheNextMessageThanForTheFirst) {
  const Shape s = usual_shape(Operation::kGather, 4, 8, 4);
  const Selector none = selector({{"TUNING", "network.message_ns=100 network.next_ns=100"}});
  const Selector more = selector({{"TUNING", "network.message_ns=100 network.next_ns=5000"}});
  EXPECT_EQ(none.cost(s), more.cost(s));
}

TEST(Selector, RefusesConstantsThatAreNone) {
  for (const auto& [name, text] : Settings{{"COLL_LINE_NS", "-1"}, {"COLL_TURN_NS", "nan"}, {"TUNING", "x=1"}}) {
    config::Store config;
    ASSERT_TRUE(config.set(name, text).ok());
    const auto made = Selector::create(config, 2);
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_NE(made.status().message().find("STARLING_" + name), std::string::npos) << made.status().message();
  }
}

TEST(Selector, GoesByArrivalOnlyWhenRanksComeLate) {
  const Selector chooser = selector();
  for (const Operation operation :
       {Operation::kReduce, Operation::kAllreduce, Operation::kBcast, Operation::kReduceScatterBlock}) {
    bool went = false;
    for (std::int64_t bytes = 1; bytes < (std::int64_t{1} << 31); bytes *= 2) {
      Shape s = shape(operation, 16, bytes);
      s.predicted = true;
      EXPECT_EQ(chooser.choose(s).needs & kByArrival, 0u) << name(operation) << " of " << bytes;
      s.late = true;
      went |= (chooser.choose(s).needs & kByArrival) != 0;
    }
    EXPECT_TRUE(went) << name(operation);
  }
}

TEST(Selector, ChoosesOnlyRankOrderWhenResultsMustBeReproducible) {
  const Selector chooser = selector({{"REPRODUCIBLE", "true"}});
  for (const Operation operation : {Operation::kReduce, Operation::kAllreduce, Operation::kScan, Operation::kExscan,
                                    Operation::kReduceScatter, Operation::kReduceScatterBlock}) {
    for (const std::int64_t bytes : {8, 1000, 100000, 100000000}) {
      for (const bool shared : {false, true}) {
        Shape s = shape(operation, 6, bytes);
        s.has_buffer = s.has_segments = shared;
        s.reproducible = true;
        EXPECT_EQ(chooser.choose(s).order, Order::kRanks) << name(operation);
      }
    }
  }
}

/// A composition of other operations is an upper bound: no size at which the choice costs more.
TEST(Selector, NeverPaysMoreForAllreduceThanForReduceAndBcast) {
  const Selector chooser = selector();
  const Machine machine = chooser.machine(tuning::Distance::kNear);
  for (const std::int32_t ranks : {2, 3, 8, 32, 1000}) {
    for (std::int64_t bytes = 1; bytes < (std::int64_t{1} << 32); bytes *= 4) {
      for (const bool shared : {false, true}) {
        Shape s = shape(Operation::kAllreduce, ranks, bytes);
        s.has_buffer = s.has_segments = shared;
        EXPECT_LE(chooser.choose(s).cost(s, machine), allreduce_reduce_bcast_algorithm.cost(s, machine));
      }
    }
  }
}

}  // namespace
}  // namespace starling::collective::test
