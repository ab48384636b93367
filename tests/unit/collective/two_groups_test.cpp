// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm that runs between two groups, swept from the registry. Everything is made of one number for each pair
// of a rank and a place, so that what must arrive can be told from where it comes.
#include <gtest/gtest.h>

#include <vector>

#include "collective/choose/algorithm.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t number(std::int32_t world_rank, std::int64_t place) { return (world_rank + 1) * 100000 + place; }

/// One rank's view of the two groups: the first has `split` ranks.
struct Groups {
  Groups(RankWorld& world, std::int32_t split, Members members) {
    const bool in_first = world.rank() < split;
    const auto group = [](std::int32_t first, std::int32_t end) {
      std::vector<ProcessId> processes;
      for (std::int32_t rank = first; rank < end; ++rank) processes.emplace_back(rank);
      return Ref<comm::Group>::adopt(new comm::Group(processes));
    };
    own_first = in_first ? 0 : split;
    other_first = in_first ? split : 0;
    const std::int32_t ranks = world.size();
    auto local = Ref<comm::Communicator>::adopt(
        new comm::Communicator(in_first ? 1002 : 1004, group(own_first, in_first ? split : ranks),
                               world.rank() - own_first, world.common(members)));
    inter = Ref<comm::Communicator>::adopt(new comm::Communicator(
        1000, std::move(local), group(other_first, in_first ? ranks : split), world.common(members)));
  }
  [[nodiscard]] std::int32_t rank() const { return inter->rank(); }
  [[nodiscard]] std::int32_t size() const { return inter->size(); }
  [[nodiscard]] std::int32_t others() const { return inter->addressed_size(); }

  Ref<comm::Communicator> inter;
  std::int32_t own_first;
  std::int32_t other_first;
};

/// One call of `count` elements a block; the root is the last rank of the first group.
struct GroupTrial {
  const Groups& groups;
  Operation operation;
  std::int64_t count;

  [[nodiscard]] bool in_first() const { return groups.own_first == 0; }
  [[nodiscard]] bool is_root() const { return in_first() && groups.rank() == groups.size() - 1; }
  [[nodiscard]] std::int32_t root_world_rank() const { return in_first() ? groups.size() - 1 : groups.others() - 1; }
  /// Elements that this rank contributes and that it gets.
  [[nodiscard]] std::int64_t out() const {
    switch (operation) {
      case Operation::kScatter:
      case Operation::kScatterv:
      case Operation::kAlltoall:
      case Operation::kAlltoallv:
      case Operation::kAlltoallw: return count * groups.others();
      case Operation::kReduceScatter:
      case Operation::kReduceScatterBlock: return count * groups.others() * groups.size();
      default: return count;
    }
  }
  [[nodiscard]] Numbers contribution(std::int32_t world_rank) const {
    Numbers all(static_cast<std::size_t>(out()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = number(world_rank, static_cast<std::int64_t>(i));
    return all;
  }
  [[nodiscard]] Numbers sum_of_others(std::int64_t first, std::int64_t length) const {
    Numbers sum(static_cast<std::size_t>(length), 0);
    for (std::int32_t other = 0; other < groups.others(); ++other) {
      for (std::int64_t i = 0; i < length; ++i) {
        sum[static_cast<std::size_t>(i)] += number(groups.other_first + other, first + i);
      }
    }
    return sum;
  }
  /// The stretch [first, first + count) of everybody in the other group.
  [[nodiscard]] Numbers blocks_of_others(std::int64_t first) const {
    Numbers all;
    for (std::int32_t other = 0; other < groups.others(); ++other) {
      for (std::int64_t i = 0; i < count; ++i) all.push_back(number(groups.other_first + other, first + i));
    }
    return all;
  }
  [[nodiscard]] Numbers expected() const {
    Numbers nothing;
    switch (operation) {
      case Operation::kBarrier: return nothing;
      case Operation::kBcast: {
        if (in_first()) return nothing;
        Numbers all;
        for (std::int64_t i = 0; i < count; ++i) all.push_back(number(root_world_rank(), i));
        return all;
      }
      case Operation::kGather:
      case Operation::kGatherv: return is_root() ? blocks_of_others(0) : nothing;
      case Operation::kScatter:
      case Operation::kScatterv: {
        if (in_first()) return nothing;
        Numbers all;
        for (std::int64_t i = 0; i < count; ++i) all.push_back(number(root_world_rank(), groups.rank() * count + i));
        return all;
      }
      case Operation::kAllgather:
      case Operation::kAllgatherv: return blocks_of_others(0);
      case Operation::kReduce: return is_root() ? sum_of_others(0, count) : nothing;
      case Operation::kAllreduce: return sum_of_others(0, count);
      case Operation::kReduceScatter:
      case Operation::kReduceScatterBlock: {
        const std::int64_t block = count * groups.others();
        return sum_of_others(groups.rank() * block, block);
      }
      default: return blocks_of_others(groups.rank() * count);
    }
  }

  void run(Collectives& engine) const {
    const datatype::Datatype& type = datatype::predefined(datatype::Basic::kInt64);
    const Numbers wanted = expected();
    Numbers send = contribution(groups.own_first + groups.rank());
    Numbers receive(wanted.size(), -1);
    const std::vector<int> counts(static_cast<std::size_t>(std::max(groups.others(), groups.size())),
                                  static_cast<int>(count));
    const std::vector<int> shares(counts.size(), static_cast<int>(count * groups.others()));
    std::vector<int> places;
    std::vector<int> byte_places;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      places.push_back(static_cast<int>(i) * static_cast<int>(count));
      byte_places.push_back(places.back() * static_cast<int>(sizeof(std::int64_t)));
    }
    const std::vector<const datatype::Datatype*> types(counts.size(), &type);
    Arguments a;
    a.operation = operation;
    a.comm = groups.inter.get();
    if (rooted(operation)) a.root = is_root() ? kRootHere : in_first() ? kRootElsewhere : root_world_rank();
    if (reduces(operation)) a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
    a.send_buffer = send.data();
    a.receive_buffer = operation == Operation::kBcast && is_root() ? send.data() : receive.data();
    a.receive_type = &type;
    if (operation != Operation::kBcast && !reduces(operation)) a.send_type = &type;
    a.send_count = a.receive_count = count;
    if (operation == Operation::kReduceScatterBlock) a.receive_count = count * groups.others();
    if (operation == Operation::kReduceScatter) a.receive_counts = shares.data();
    const bool w = operation == Operation::kAlltoallw;
    if (w || operation == Operation::kAlltoallv || operation == Operation::kScatterv) {
      a.send_counts = counts.data();
      a.send_displs = (w ? byte_places : places).data();
    }
    if (w || operation == Operation::kAlltoallv || operation == Operation::kGatherv ||
        operation == Operation::kAllgatherv) {
      a.receive_counts = counts.data();
      a.receive_displs = (w ? byte_places : places).data();
    }
    if (w) a.send_types = a.receive_types = types.data();
    const Status status = engine.run(a);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(receive, wanted);
  }
};

class TwoGroups : public testing::TestWithParam<std::int32_t> {};

TEST_P(TwoGroups, EveryAlgorithmBringsEverythingAcross) {
  const std::int32_t ranks = GetParam();
  run_ranks(ranks, [&](RankWorld& world) {
    for (const std::int32_t split : {1, ranks / 2, ranks - 1}) {
      const Groups groups(world, split, Members::kOnOneNode);
      for (const Algorithm* algorithm : tried_algorithms()) {
        if ((algorithm->needs & (kInter | kAlsoInter)) == 0) continue;
        SCOPED_TRACE(std::string(name(algorithm->operation)) + " " + algorithm->name);
        auto engine = world.engine({{variable(algorithm->operation), algorithm->name}});
        for (const std::int64_t count : {0, 1, 7, 3000}) GroupTrial{groups, algorithm->operation, count}.run(*engine);
      }
    }
  });
}

TEST_P(TwoGroups, OfSeveralNodesBringEverythingAcrossInEveryOperation) {
  const std::int32_t ranks = GetParam();
  run_ranks(ranks, [&](RankWorld& world) {
    for (const std::int32_t split : {1, ranks / 2, ranks - 1}) {
      for (const char* reproducible : {"false", "true"}) {
        const Groups groups(world, split, Members::kOnSeveralNodes);
        auto engine = world.engine({{"REPRODUCIBLE", reproducible}});
        for (std::int32_t i = 0; i < kOperationCount; ++i) {
          const auto operation = static_cast<Operation>(i);
          if (operation == Operation::kScan || operation == Operation::kExscan || among_neighbors(operation)) continue;
          SCOPED_TRACE(name(operation));
          for (const std::int64_t count : {0, 1, 3000}) GroupTrial{groups, operation, count}.run(*engine);
        }
      }
    }
    EXPECT_EQ(world.p2p().progress().segment().header().arena_used.load(), 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, TwoGroups, testing::Values(2, 3, 4, 7, 8));

/// A ring whose ranks stand twice in each other's lists when it is short.
TEST(Neighborhood, EveryAlgorithmExchangesAroundTheRing) {
  for (const std::int32_t ranks : {1, 2, 3, 8}) {
    run_ranks(ranks, [&](RankWorld& world) {
      for (const Algorithm* algorithm : algorithms(Operation::kNeighborAlltoall)) {
        auto engine = world.engine({{variable(Operation::kNeighborAlltoall), algorithm->name}});
        auto comm = world.communicator();
        const std::int32_t before = (world.rank() + ranks - 1) % ranks;
        const std::int32_t behind = (world.rank() + 1) % ranks;
        comm::Neighbors ring{{before, behind}, {before, behind}, true};
        comm->neighbors = std::make_unique<const comm::Neighbors>(ring);
        const Numbers send = {number(world.rank(), 0), number(world.rank(), 1)};
        Numbers receive = {-1, -1};
        Arguments a;
        a.operation = Operation::kNeighborAlltoall;
        a.comm = comm.get();
        a.send_buffer = send.data();
        a.receive_buffer = receive.data();
        a.send_count = a.receive_count = 1;
        a.send_type = a.receive_type = &datatype::predefined(datatype::Basic::kInt64);
        const Status status = engine->run(a);
        EXPECT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(receive, (Numbers{number(before, 1), number(behind, 0)})) << algorithm->name;
      }
    });
  }
}

}  // namespace
}  // namespace starling::collective::test
