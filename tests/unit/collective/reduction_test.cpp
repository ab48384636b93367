// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm that combines data, swept from the registry: sums, and an operator that does not commute, on elements
// side by side and on elements with gaps.
#include <gtest/gtest.h>

#include <random>

#include "base/format.hpp"
#include "collective/choose/algorithm.hpp"
#include "support/sanitized.hpp"
#include "unit/collective/affine.hpp"
#include "unit/collective/ranks.hpp"
#include "unit/collective/typed_buffer.hpp"

namespace starling::collective::test {
namespace {

/// An operator, its type, and what stores the value that ranks [first, last] make together.
struct Flavor {
  const char* name;
  const datatype::Datatype* type;
  const datatype::Op* op;
  void (*put_value)(std::byte* to, std::int64_t first, std::int64_t last, std::int64_t index);
};

void put_affine(std::byte* to, std::int64_t first, std::int64_t last, std::int64_t index) {
  const auto value = composed(first, last, index);
  std::memcpy(to, &value, sizeof value);
}
void put_sum(std::byte* to, std::int64_t first, std::int64_t last, std::int64_t index) {
  std::int64_t sum = 0;
  for (std::int64_t rank = first; rank <= last; ++rank) sum += rank * 1000 + index;
  std::memcpy(to, &sum, sizeof sum);
}

struct Flavors {
  Ref<datatype::Datatype> pair;
  Ref<datatype::Datatype> wide;
  Ref<datatype::Op> compose_pairs;
  Ref<datatype::Op> compose_wide;

  Flavors() {
    const datatype::Datatype& integer = datatype::predefined(datatype::Basic::kInt64);
    pair = datatype::Datatype::contiguous(2, integer).value();
    wide = datatype::Datatype::resized(*pair, 0, 24).value();
    pair->commit();
    wide->commit();
    compose_pairs = datatype::Op::user_large(&compose_all<16>, datatype::Commutes::kNo).value();
    compose_wide = datatype::Op::user_large(&compose_all<24>, datatype::Commutes::kNo).value();
  }
  [[nodiscard]] std::vector<Flavor> all() const {
    return {{"sum", &datatype::predefined(datatype::Basic::kInt64), &datatype::predefined(datatype::PredefinedOp::kSum),
             &put_sum},
            {"ordered", pair.get(), compose_pairs.get(), &put_affine},
            {"ordered with gaps", wide.get(), compose_wide.get(), &put_affine}};
  }
};

struct ReductionTrial {
  RankWorld& world;
  Collectives& engine;
  comm::Communicator& comm;
  Flavor flavor;
  std::int64_t count;
  std::int32_t root;
  bool in_place;

  /// What ranks [first, last] make of the elements [begin, begin + count).
  [[nodiscard]] Bytes values(std::int64_t first, std::int64_t last, std::int64_t begin, std::int64_t length) const {
    const std::int64_t size = flavor.type->size();
    Bytes all(static_cast<std::size_t>(length * size));
    for (std::int64_t i = 0; i < length; ++i) flavor.put_value(all.data() + i * size, first, last, begin + i);
    return all;
  }
};

/// How the result of a reduce_scatter is divided: unevenly, some get nothing.
std::vector<int> division(const ReductionTrial& t) {
  std::vector<int> counts;
  for (std::int32_t rank = 0; rank < t.comm.size(); ++rank) {
    counts.push_back(static_cast<int>(rank % 3 == 2 ? 0 : t.count + rank % 2));
  }
  return counts;
}

/// In place, what lies behind the own block of a reduce_scatter is nobody's business.
void expect_front(const ReductionTrial& t, const TypedBuffer& receive, const TypedBuffer& expected,
                  std::int64_t length) {
  EXPECT_TRUE(receive.starts_like(expected, length)) << t.flavor.name;
}

void expect_right(const ReductionTrial& t, Operation operation) {
  const std::int32_t me = t.comm.rank();
  const std::int32_t last = t.comm.size() - 1;
  const std::vector<int> counts =
      operation == Operation::kReduceScatter
          ? division(t)
          : std::vector<int>(static_cast<std::size_t>(t.comm.size()), static_cast<int>(t.count));
  const bool scatters = operation == Operation::kReduceScatter || operation == Operation::kReduceScatterBlock;
  std::int64_t total = t.count;
  std::int64_t begin = 0;
  std::int64_t length = t.count;
  if (scatters) {
    total = 0;
    for (std::int32_t rank = 0; rank <= last; ++rank) {
      if (rank == me) begin = total;
      total += counts[static_cast<std::size_t>(rank)];
    }
    length = counts[static_cast<std::size_t>(me)];
  }
  const bool takes = (operation != Operation::kReduce || me == t.root) && (operation != Operation::kExscan || me > 0);
  Arguments a;
  a.operation = operation;
  a.comm = &t.comm;
  a.root = t.root;
  a.op = t.flavor.op;
  a.receive_type = t.flavor.type;
  a.receive_count = t.count;
  a.in_place = t.in_place && (operation != Operation::kReduce || me == t.root);
  if (operation == Operation::kReduceScatter) a.receive_counts = counts.data();

  TypedBuffer send(total, *t.flavor.type);
  send.put(0, t.values(me, me, 0, total));
  TypedBuffer receive(total, *t.flavor.type);
  TypedBuffer expected(total, *t.flavor.type);
  if (a.in_place) {
    receive.put(0, t.values(me, me, 0, total));
    expected.put(0, t.values(me, me, 0, total));
  }
  const bool scan = operation == Operation::kScan || operation == Operation::kExscan;
  const std::int64_t end = operation == Operation::kExscan ? me - 1 : scan ? me : last;
  if (takes) expected.put(0, t.values(0, end, begin, length));
  a.send_buffer = a.in_place ? nullptr : send.data();
  a.receive_buffer = operation == Operation::kReduce && me != t.root ? nullptr : receive.data();
  const Status status = t.engine.run(a);
  EXPECT_TRUE(status.ok()) << status.message();
  if (scatters && a.in_place) return expect_front(t, receive, expected, length);
  EXPECT_TRUE(receive == expected);
}

class Reductions : public testing::TestWithParam<std::int32_t> {};

bool combines(Operation operation) {
  switch (operation) {
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
    case Operation::kReduceScatter:
    case Operation::kReduceScatterBlock: return true;
    default: return false;
  }
}

TEST_P(Reductions, OfEveryAlgorithmCombineInRankOrder) {
  const Flavors flavors;
  run_ranks_with_few_and_many_cores(GetParam(), [&](RankWorld& world) {
    for (const Algorithm* algorithm : tried_algorithms()) {
      if ((algorithm->needs & kInter) != 0) continue;  // two_groups_test.cpp
      if (!combines(algorithm->operation)) continue;
      auto engine = world.engine({{variable(algorithm->operation), algorithm->name}});
      auto comm = world.communicator();
      for (const Flavor& flavor : flavors.all()) {
        for (const std::int64_t count : {0, 1, 3, 7, 500, kUnderSanitizer ? 2500 : 9000}) {
          if (count * world.size() > (kUnderSanitizer ? 8000 : 30000)) continue;
          for (const bool in_place : {false, true}) {
            const auto root = static_cast<std::int32_t>((count + 1) % world.size());
            SCOPED_TRACE(std::string(name(algorithm->operation)) + " " + algorithm->name + ", " + flavor.name +
                         ", rank " + std::to_string(world.rank()) + " of " + std::to_string(world.size()) + ", " +
                         std::to_string(count) + " elements" + (in_place ? ", in place" : ""));
            expect_right(ReductionTrial{world, *engine, *comm, flavor, count, root, in_place}, algorithm->operation);
          }
        }
      }
    }
  });
}

TEST_P(Reductions, CombineInRankOrderWithSeveralMessagesAtOnce) {
  const Flavors flavors;
  run_ranks(GetParam(), [&](RankWorld& world) {
    for (const Algorithm* algorithm : shaped_by_costs()) {
      if (!combines(algorithm->operation)) continue;
      for (Settings settings : several_at_once()) {
        settings.emplace_back(variable(algorithm->operation), algorithm->name);
        auto engine = world.engine(settings);
        auto comm = world.communicator(Members::kOnSeveralNodes);
        for (const Flavor& flavor : flavors.all()) {
          for (const std::int64_t count : {1, 7, 500, kUnderSanitizer ? 2500 : 9000}) {
            if (count * world.size() > (kUnderSanitizer ? 8000 : 30000)) continue;
            const auto root = static_cast<std::int32_t>((count + 1) % world.size());
            SCOPED_TRACE(formatted("{} {}, {}, rank {} of {}, {} elements", name(algorithm->operation), algorithm->name,
                                   flavor.name, world.rank(), world.size(), count));
            const bool in_place = count % 2 == 0;
            expect_right(ReductionTrial{world, *engine, *comm, flavor, count, root, in_place}, algorithm->operation);
          }
        }
      }
    }
  });
}

TEST_P(Reductions, OnSeveralNodesCombineInRankOrderWithoutSharedMemory) {
  const Flavors flavors;
  run_ranks(GetParam(), [&](RankWorld& world) {
    for (const char* reproducible : {"false", "true"}) {
      auto engine = world.engine({{"REPRODUCIBLE", reproducible}});
      auto comm = world.communicator(Members::kOnSeveralNodes);
      for (std::int32_t i = 0; i < kOperationCount; ++i) {
        const auto operation = static_cast<Operation>(i);
        if (!combines(operation)) continue;
        for (const Flavor& flavor : flavors.all()) {
          for (const std::int64_t count : {0, 1, 7, 1500}) {
            SCOPED_TRACE(formatted("{}, {}, rank {} of {}, {} elements", name(operation), flavor.name, world.rank(),
                                   world.size(), count));
            const auto root = static_cast<std::int32_t>((count + 1) % world.size());
            expect_right(ReductionTrial{world, *engine, *comm, flavor, count, root, false}, operation);
          }
        }
      }
    }
    EXPECT_EQ(world.p2p().progress().segment().header().arena_used.load(), 0U);
  });
}

TEST_P(Reductions, ByHalvesBetweenNodesAreRightInPiecesOfAnySize) {
  const Flavors flavors;
  run_ranks(GetParam(), [&](RankWorld& world) {
    // A message costs as much as so many bytes.
    for (const char* message_ns : {"1", "100", "1e9"}) {
      for (const auto& [operation, algorithm] : {std::pair{Operation::kReduce, "rabenseifner"},
                                                 {Operation::kAllreduce, "rabenseifner"},
                                                 {Operation::kReduceScatter, "halving"},
                                                 {Operation::kReduceScatterBlock, "halving"}}) {
        auto engine = world.engine({{variable(operation), algorithm},
                                    {"COLL_MESSAGE_NS", message_ns},
                                    {"COLL_BYTE_NS", "1"},
                                    {"COLL_LONG_BYTE_NS", "1"}});
        auto comm = world.communicator(Members::kOnSeveralNodes);
        for (const Flavor& flavor : flavors.all()) {
          for (const std::int64_t count : {0, 1, 7, 500, 2000}) {
            SCOPED_TRACE(formatted("{} {}, {}, rank {} of {}, {} elements, a message takes {}", name(operation),
                                   algorithm, flavor.name, world.rank(), world.size(), count, message_ns));
            const auto root = static_cast<std::int32_t>(count % world.size());
            expect_right(ReductionTrial{world, *engine, *comm, flavor, count, root, count % 2 == 0}, operation);
          }
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Reductions, testing::ValuesIn(rank_counts()));

TEST(ReductionsInLevels, CombineInRankOrder) {
  const Flavors flavors;
  for (const Nodes& nodes : kinds_of_nodes()) {
    run_on_nodes(nodes, [&](RankWorld& world) {
      for (const Algorithm* algorithm : tried_algorithms()) {
        if ((algorithm->needs & kLevels) == 0 || !combines(algorithm->operation)) continue;
        auto engine = world.engine({{variable(algorithm->operation), algorithm->name}});
        auto comm = world.communicator(Members::kOnSeveralNodes);
        for (const Flavor& flavor : flavors.all()) {
          for (const std::int64_t count : {1, 3, 7, 500, kUnderSanitizer ? 1500 : 3000}) {
            for (std::int32_t root = 0; root < (rooted(algorithm->operation) ? world.size() : 1); ++root) {
              SCOPED_TRACE(formatted("{} {}, {}, rank {} of {} on {} nodes, root {}, {} elements",
                                     name(algorithm->operation), algorithm->name, flavor.name, world.rank(),
                                     world.size(), nodes.size(), root, count));
              const bool in_place = (count + root) % 2 == 0;
              expect_right(ReductionTrial{world, *engine, *comm, flavor, count, root, in_place}, algorithm->operation);
            }
          }
        }
      }
    });
  }
}

TEST(ReductionsInLevels, GoRightForAnyMembersOnAnyNodes) {
  const Flavors flavors;
  for (const std::uint64_t seed : storm_seeds(kUnderSanitizer ? 8 : 25)) {
    const RandomNodes any(seed);
    run_on_nodes(any.nodes, [&](RankWorld& world) {
      std::mt19937_64 random(seed);
      for (const Algorithm* algorithm : tried_algorithms()) {
        if ((algorithm->needs & kLevels) == 0 || !combines(algorithm->operation)) continue;
        auto engine = world.engine({{variable(algorithm->operation), random() % 3 == 0 ? "auto" : algorithm->name}});
        auto comm = world.communicator(any.members);
        for (const Flavor& flavor : flavors.all()) {
          const auto count = static_cast<std::int64_t>(random() % (random() % 3 == 0 ? 2000 : 20));
          const auto root = static_cast<std::int32_t>(random() % any.members.size());
          const bool in_place = random() % 2 == 0;
          if (!comm) continue;
          SCOPED_TRACE(formatted("STORM_SEED={}, {} {}, {}, rank {} of {}, root {}, {} elements", seed,
                                 name(algorithm->operation), algorithm->name, flavor.name, comm->rank(), comm->size(),
                                 root, count));
          expect_right(ReductionTrial{world, *engine, *comm, flavor, count, root, in_place}, algorithm->operation);
        }
      }
    });
  }
}

double awkward(std::int32_t rank, std::int64_t index) { return (rank % 2 == 0 ? 1e16 : -1e16) + 0.1 * rank + index; }

TEST(ReproducibleReductions, GiveTheSameBitsWhateverTheAlgorithmAndTheSize) {
  const std::int32_t ranks = 5;
  const datatype::Datatype& real = datatype::predefined(datatype::Basic::kDouble);
  std::vector<double> expected;
  for (std::int64_t i = 0; i < 9000; ++i) {
    double value = awkward(ranks - 1, i);
    for (std::int32_t rank = ranks - 2; rank >= 0; --rank) value = awkward(rank, i) + value;
    expected.push_back(value);
  }
  run_ranks(ranks,
            [&](RankWorld& world) {
              auto engine = world.engine();
              auto comm = world.communicator();
              for (const std::int64_t count : {1, 6, 100, 9000}) {
                std::vector<double> mine;
                for (std::int64_t i = 0; i < count; ++i) mine.push_back(awkward(world.rank(), i));
                std::vector<double> result(static_cast<std::size_t>(count));
                Arguments a;
                a.operation = Operation::kAllreduce;
                a.comm = comm.get();
                a.op = &datatype::predefined(datatype::PredefinedOp::kSum);
                a.receive_type = &real;
                a.receive_count = count;
                a.send_buffer = mine.data();
                a.receive_buffer = result.data();
                EXPECT_TRUE(engine->run(a).ok());
                EXPECT_EQ(0, std::memcmp(result.data(), expected.data(), result.size() * sizeof(double)));
              }
            },
            {{"REPRODUCIBLE", "true"}});
}

}  // namespace
}  // namespace starling::collective::test
