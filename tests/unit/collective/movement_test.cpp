// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm that moves data, swept from the registry, against what the standard says must arrive where.
#include <gtest/gtest.h>

#include <random>

#include "base/format.hpp"
#include "collective/choose/algorithm.hpp"
#include "support/sanitized.hpp"
#include "unit/collective/ranks.hpp"
#include "unit/collective/typed_buffer.hpp"

namespace starling::collective::test {
namespace {

using Mix = TestTypes::Mix;

struct Case {
  std::int64_t count;
  std::int32_t root;
  Mix mix;
  bool in_place;
};

/// One rank's view of one case.
struct Trial {
  RankWorld& world;
  Collectives& engine;
  comm::Communicator& comm;
  const TestTypes& types;
  Case the_case;

  [[nodiscard]] std::int32_t me() const { return comm.rank(); }
  [[nodiscard]] std::int32_t ranks() const { return comm.size(); }
  [[nodiscard]] const datatype::Datatype& type() const { return types.of(the_case.mix, me()); }
  [[nodiscard]] const datatype::Datatype& other_type() const { return types.of(the_case.mix, me() + 1); }
  [[nodiscard]] Bytes bytes(std::int64_t from, std::int64_t to, std::int64_t count) const {
    return pattern(count * type().size(), from, to);
  }
  [[nodiscard]] Arguments arguments(Operation operation) const {
    Arguments a;
    a.operation = operation;
    a.comm = &comm;
    a.root = the_case.root;
    a.send_type = &other_type();
    a.receive_type = &type();
    a.send_count = a.receive_count = the_case.count;
    return a;
  }
  void run(const Arguments& a) const {
    const Status status = engine.run(a);
    EXPECT_TRUE(status.ok()) << status.message();
  }
};

void bcast(const Trial& t) {
  TypedBuffer buffer(t.the_case.count, t.type());
  TypedBuffer expected(t.the_case.count, t.type());
  expected.put(0, t.bytes(t.the_case.root, 0, t.the_case.count));
  if (t.me() == t.the_case.root) buffer = expected;
  Arguments a = t.arguments(Operation::kBcast);
  a.receive_buffer = buffer.data();
  t.run(a);
  EXPECT_TRUE(buffer == expected);
}

/// How much each rank's block has in the v forms, and where it lies: some empty, all with holes, in falling order.
std::int64_t v_count(const Trial& t, std::int32_t rank) {
  return rank % 3 == 1 ? 0 : t.the_case.count + rank % 2 * t.the_case.count / 2;
}
struct Layout {
  std::vector<int> counts;
  std::vector<int> displs;
  std::int64_t elements = 0;
};
Layout v_layout(const Trial& t) {
  Layout layout;
  layout.displs.resize(static_cast<std::size_t>(t.ranks()));
  for (std::int32_t rank = 0; rank < t.ranks(); ++rank) layout.counts.push_back(static_cast<int>(v_count(t, rank)));
  for (std::int32_t rank = t.ranks() - 1; rank >= 0; --rank) {
    layout.displs[static_cast<std::size_t>(rank)] = static_cast<int>(layout.elements);
    layout.elements += layout.counts[static_cast<std::size_t>(rank)] + 2;
  }
  return layout;
}
Layout plain_layout(const Trial& t) {
  Layout layout;
  for (std::int32_t rank = 0; rank < t.ranks(); ++rank) {
    layout.counts.push_back(static_cast<int>(t.the_case.count));
    layout.displs.push_back(static_cast<int>(rank * t.the_case.count));
  }
  layout.elements = t.ranks() * t.the_case.count;
  return layout;
}

bool v_form(Operation operation) {
  return operation == Operation::kGatherv || operation == Operation::kScatterv || operation == Operation::kAllgatherv ||
         operation == Operation::kAlltoallv || operation == Operation::kAlltoallw;
}
Layout layout_of(const Trial& t, Operation operation) { return v_form(operation) ? v_layout(t) : plain_layout(t); }

void gather(const Trial& t, Operation operation) {
  const bool to_all = operation == Operation::kAllgather || operation == Operation::kAllgatherv;
  const bool takes = to_all || t.me() == t.the_case.root;
  const Layout layout = layout_of(t, operation);
  const auto mine = static_cast<std::size_t>(t.me());
  TypedBuffer send(layout.counts[mine], t.other_type());
  send.put(0, t.bytes(t.me(), 0, layout.counts[mine]));
  TypedBuffer receive(layout.elements, t.type());
  TypedBuffer expected(layout.elements, t.type());
  for (std::int32_t from = 0; from < t.ranks() && takes; ++from) {
    const auto index = static_cast<std::size_t>(from);
    expected.put(layout.displs[index], t.bytes(from, 0, layout.counts[index]));
  }
  Arguments a = t.arguments(operation);
  a.in_place = t.the_case.in_place && takes;
  if (a.in_place) receive.put(layout.displs[mine], t.bytes(t.me(), 0, layout.counts[mine]));
  a.send_buffer = a.in_place ? nullptr : send.data();
  a.send_count = layout.counts[mine];
  a.receive_buffer = receive.data();
  if (v_form(operation)) {
    a.receive_counts = layout.counts.data();
    a.receive_displs = layout.displs.data();
  }
  t.run(a);
  EXPECT_TRUE(receive == expected);
}

void scatter(const Trial& t, Operation operation) {
  const bool root = t.me() == t.the_case.root;
  const Layout layout = layout_of(t, operation);
  const auto mine = static_cast<std::size_t>(t.me());
  TypedBuffer send(layout.elements, t.other_type());
  for (std::int32_t to = 0; to < t.ranks() && root; ++to) {
    const auto index = static_cast<std::size_t>(to);
    send.put(layout.displs[index], t.bytes(0, to, layout.counts[index]));
  }
  TypedBuffer receive(layout.counts[mine], t.type());
  TypedBuffer expected(layout.counts[mine], t.type());
  Arguments a = t.arguments(operation);
  a.in_place = t.the_case.in_place && root;
  if (!a.in_place) expected.put(0, t.bytes(0, t.me(), layout.counts[mine]));
  a.send_buffer = send.data();
  if (v_form(operation)) {
    a.send_counts = layout.counts.data();
    a.send_displs = layout.displs.data();
  }
  a.receive_buffer = receive.data();
  a.receive_count = layout.counts[mine];
  t.run(a);
  EXPECT_TRUE(receive == expected);
}

/// In the v forms rank a sends rank b as much as b sends a, so that the case works in place too.
int pair_count(const Trial& t, std::int32_t a, std::int32_t b) {
  return static_cast<int>((a + b) % 3 == 1 ? 0 : t.the_case.count + (a + b) % 2);
}

void alltoall(const Trial& t, Operation operation) {
  Layout layout = plain_layout(t);
  if (v_form(operation)) {
    layout = Layout{};
    for (std::int32_t rank = 0; rank < t.ranks(); ++rank) {
      layout.counts.push_back(pair_count(t, t.me(), rank));
      layout.displs.push_back(static_cast<int>(layout.elements + 1));
      layout.elements += layout.counts.back() + 2;
    }
  }
  TypedBuffer send(layout.elements, t.other_type());
  TypedBuffer receive(layout.elements, t.type());
  TypedBuffer expected(layout.elements, t.type());
  for (std::int32_t rank = 0; rank < t.ranks(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    send.put(layout.displs[index], t.bytes(t.me(), rank, layout.counts[index]));
    if (t.the_case.in_place) receive.put(layout.displs[index], t.bytes(t.me(), rank, layout.counts[index]));
    expected.put(layout.displs[index], t.bytes(rank, t.me(), layout.counts[index]));
  }
  Arguments a = t.arguments(operation);
  a.in_place = t.the_case.in_place;
  a.send_buffer = a.in_place ? nullptr : send.data();
  a.receive_buffer = receive.data();
  std::vector<std::int64_t> send_displs(layout.displs.begin(), layout.displs.end());
  std::vector<std::int64_t> receive_displs = send_displs;
  const std::vector<const datatype::Datatype*> send_types(layout.counts.size(), &t.other_type());
  const std::vector<const datatype::Datatype*> receive_types(layout.counts.size(), &t.type());
  if (operation == Operation::kAlltoallw) {
    for (std::int64_t& displ : send_displs) displ *= t.other_type().extent();
    for (std::int64_t& displ : receive_displs) displ *= t.type().extent();
    a.send_types = a.in_place ? nullptr : send_types.data();
    a.receive_types = receive_types.data();
  }
  if (v_form(operation)) {
    a.send_counts = layout.counts.data();
    a.send_displs = send_displs.data();
    a.receive_counts = layout.counts.data();
    a.receive_displs = receive_displs.data();
  }
  t.run(a);
  EXPECT_TRUE(receive == expected);
}

/// False: the operation moves no data, or combines them (reduction_test.cpp).
bool move(const Trial& t, Operation operation) {
  switch (operation) {
    case Operation::kBcast: bcast(t); return true;
    case Operation::kGather:
    case Operation::kGatherv:
    case Operation::kAllgather:
    case Operation::kAllgatherv: gather(t, operation); return true;
    case Operation::kScatter:
    case Operation::kScatterv: scatter(t, operation); return true;
    case Operation::kAlltoall:
    case Operation::kAlltoallv:
    case Operation::kAlltoallw: alltoall(t, operation); return true;
    default: return false;
  }
}

std::vector<Case> cases(std::int32_t ranks) {
  std::vector<Case> all;
  for (const std::int64_t count : {0, 1, 4, kUnderSanitizer ? 200 : 1000, kUnderSanitizer ? 1500 : 6000}) {
    if (count * ranks > 20000) continue;
    for (const Mix mix : {Mix::kPlain, Mix::kGaps, Mix::kMixed}) {
      all.push_back({count, static_cast<std::int32_t>((count + 1) % ranks), mix, false});
      all.push_back({count, ranks - 1, mix, true});
    }
  }
  return all;
}

class Movement : public testing::TestWithParam<std::int32_t> {};

TEST_P(Movement, OfEveryAlgorithmPutsEveryByteInItsPlaceAndNoneElsewhere) {
  const TestTypes types;
  run_ranks_with_few_and_many_cores(GetParam(), [&](RankWorld& world) {
    for (const Algorithm* algorithm : tried_algorithms()) {
      if ((algorithm->needs & kInter) != 0) continue;  // two_groups_test.cpp
      auto engine = world.engine({{variable(algorithm->operation), algorithm->name}});
      auto comm = world.communicator();
      for (const Case& the_case : cases(world.size())) {
        SCOPED_TRACE(std::string(name(algorithm->operation)) + " " + algorithm->name + ", rank " +
                     std::to_string(world.rank()) + " of " + std::to_string(world.size()) + ", " +
                     std::to_string(the_case.count) + " elements, mix " +
                     std::to_string(static_cast<int>(the_case.mix)) + (the_case.in_place ? ", in place" : ""));
        const Trial trial{world, *engine, *comm, types, the_case};
        if (!move(trial, algorithm->operation)) break;
      }
    }
  });
}

TEST_P(Movement, PutsEveryByteInItsPlaceWithSeveralMessagesAtOnce) {
  const TestTypes types;
  run_ranks(GetParam(), [&](RankWorld& world) {
    for (const Algorithm* algorithm : shaped_by_costs()) {
      for (Settings settings : several_at_once()) {
        settings.emplace_back(variable(algorithm->operation), algorithm->name);
        auto engine = world.engine(settings);
        auto comm = world.communicator(Members::kOnSeveralNodes);
        for (const Case& the_case : cases(world.size())) {
          SCOPED_TRACE(formatted("{} {}, rank {} of {}, {} elements", name(algorithm->operation), algorithm->name,
                                 world.rank(), world.size(), the_case.count));
          if (!move(Trial{world, *engine, *comm, types, the_case}, algorithm->operation)) break;
        }
      }
    }
  });
}

TEST_P(Movement, OnSeveralNodesPutsEveryByteInItsPlaceWithoutSharedMemory) {
  const TestTypes types;
  run_ranks(GetParam(), [&](RankWorld& world) {
    auto engine = world.engine();
    for (std::int32_t i = 0; i < kOperationCount; ++i) {
      const auto operation = static_cast<Operation>(i);
      auto comm = world.communicator(Members::kOnSeveralNodes);
      for (const Case& the_case : cases(world.size())) {
        SCOPED_TRACE(
            formatted("{}, rank {} of {}, {} elements", name(operation), world.rank(), world.size(), the_case.count));
        if (!move(Trial{world, *engine, *comm, types, the_case}, operation)) break;
      }
    }
    EXPECT_EQ(world.p2p().progress().segment().header().arena_used.load(), 0U);
  });
}

/// The algorithms that go in levels.
std::vector<const Algorithm*> algorithms_in_levels() {
  std::vector<const Algorithm*> found;
  for (const Algorithm* algorithm : tried_algorithms()) {
    if ((algorithm->needs & kLevels) != 0) found.push_back(algorithm);
  }
  return found;
}

TEST(MovementInLevels, PutsEveryByteInItsPlaceAndNoneElsewhere) {
  const TestTypes types;
  for (const Nodes& nodes : kinds_of_nodes()) {
    run_on_nodes(nodes, [&](RankWorld& world) {
      for (const Algorithm* algorithm : algorithms_in_levels()) {
        auto engine = world.engine({{variable(algorithm->operation), algorithm->name}});
        auto comm = world.communicator(Members::kOnSeveralNodes);
        for (Case the_case : cases(world.size())) {
          for (std::int32_t root = 0; root < (rooted(algorithm->operation) ? world.size() : 1); ++root) {
            the_case.root = root;
            SCOPED_TRACE(formatted("{} {}, rank {} of {} on {} nodes, root {}, {} elements", name(algorithm->operation),
                                   algorithm->name, world.rank(), world.size(), nodes.size(), root, the_case.count));
            if (!move(Trial{world, *engine, *comm, types, the_case}, algorithm->operation)) break;
          }
        }
      }
    });
  }
}

TEST(MovementInLevels, GoesRightForAnyMembersOnAnyNodes) {
  const TestTypes types;
  for (const std::uint64_t seed : storm_seeds(kUnderSanitizer ? 8 : 25)) {
    const RandomNodes any(seed);
    SCOPED_TRACE(formatted("STORM_SEED={}", seed));
    run_on_nodes(any.nodes, [&](RankWorld& world) {
      std::mt19937_64 random(seed);
      for (const Algorithm* algorithm : algorithms_in_levels()) {
        auto engine = world.engine({{variable(algorithm->operation), random() % 3 == 0 ? "auto" : algorithm->name}});
        auto comm = world.communicator(any.members);
        for (int call = 0; call < 3; ++call) {
          const Case the_case{static_cast<std::int64_t>(random() % (call == 0 ? 4000 : 40)),
                              static_cast<std::int32_t>(random() % any.members.size()), static_cast<Mix>(random() % 3),
                              random() % 2 == 0};
          if (!comm) continue;
          SCOPED_TRACE(formatted("STORM_SEED={}, {} {}, rank {} of {}, root {}, {} elements", seed,
                                 name(algorithm->operation), algorithm->name, comm->rank(), comm->size(), the_case.root,
                                 the_case.count));
          move(Trial{world, *engine, *comm, types, the_case}, algorithm->operation);
        }
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Movement, testing::ValuesIn(rank_counts()));

}  // namespace
}  // namespace starling::collective::test
