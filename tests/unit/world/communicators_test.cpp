// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/communicators.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "unit/world/ranks.hpp"
#include "world/communicators/pending_dup.hpp"

namespace starling::world {
namespace {

using comm::Communicator;

Ref<Communicator> expect_made(MadeCommunicator made) {
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.ok() ? std::move(made).value() : Ref<Communicator>();
}

/// Passes each rank's number around the ring of a communicator; what arrives names the neighbour.
std::int32_t left_neighbour(World& world, Communicator& comm) {
  const datatype::Datatype& type = datatype::predefined(datatype::Basic::kInt);
  std::int32_t mine = comm.rank();
  std::int32_t got = -1;
  const std::int32_t left = (comm.rank() + comm.size() - 1) % comm.size();
  const std::int32_t right = (comm.rank() + 1) % comm.size();
  p2p::Request* receive = world.p2p().ireceive({&got, 1, &type, left, 7, &comm});
  EXPECT_TRUE(world.p2p().send({&mine, 1, &type, right, 7, &comm}, p2p::SendMode::kStandard).ok());
  world.p2p().wait(*receive);
  receive->dispose();
  return got;
}

void expect_ring(World& world, Communicator& comm) {
  EXPECT_EQ(left_neighbour(world, comm), (comm.rank() + comm.size() - 1) % comm.size());
}

TEST(CommunicatorConstructors, DupKeepsTheGroupUnderANewContext) {
  EXPECT_EQ(0, run_worlds(5, [](World& world) {
              const auto copy = expect_made(dup(world, *world.comm_world()));
              ASSERT_TRUE(copy);
              EXPECT_EQ(copy->rank(), world.rank().value);
              EXPECT_EQ(copy->size(), 5);
              EXPECT_NE(copy->context_id(), world.comm_world()->context_id());
              expect_ring(world, *copy);
            }));
}

TEST(CommunicatorConstructors, SplitOrdersByKeyAndThenByRank) {
  EXPECT_EQ(0, run_worlds(6, [](World& world) {
              // Even ranks in reverse order, odd ones with equal keys.
              const std::int32_t me = world.rank().value;
              const std::int32_t color = me % 2;
              const std::int32_t key = color == 0 ? -me : 3;
              const auto part = expect_made(split(world, *world.comm_world(), color, key));
              ASSERT_TRUE(part);
              EXPECT_EQ(part->size(), 3);
              EXPECT_EQ(part->rank(), color == 0 ? (4 - me) / 2 : me / 2);
              EXPECT_EQ(part->process(0), ProcessId(color == 0 ? 4 : 1));
              expect_ring(world, *part);
            }));
}

TEST(CommunicatorConstructors, SplitLeavesOutRanksWithoutColor) {
  EXPECT_EQ(0, run_worlds(4, [](World& world) {
              const std::int32_t color = world.rank().value == 2 ? kNoColor : 0;
              const auto part = expect_made(split(world, *world.comm_world(), color, 0));
              EXPECT_EQ(static_cast<bool>(part), world.rank().value != 2);
              if (part) {
                EXPECT_EQ(part->size(), 3);
              }
              const auto none = expect_made(split(world, *world.comm_world(), kNoColor, 0));
              EXPECT_FALSE(none);
            }));
}

TEST(CommunicatorConstructors, SplitGivesEachColorItsOwnContext) {
  std::mutex mutex;
  std::map<std::int32_t, std::uint32_t> context_of_color;
  EXPECT_EQ(0, run_worlds(6, [&](World& world) {
              const std::int32_t color = world.rank().value / 2 * 10;
              const auto part = expect_made(split(world, *world.comm_world(), color, 0));
              ASSERT_TRUE(part);
              const std::lock_guard lock(mutex);
              const auto [entry, added] = context_of_color.emplace(color, part->context_id());
              EXPECT_EQ(entry->second, part->context_id());
            }));
  EXPECT_EQ(context_of_color.size(), 3U);
  EXPECT_NE(context_of_color[0], context_of_color[10]);
  EXPECT_NE(context_of_color[10], context_of_color[20]);
}

TEST(CommunicatorConstructors, CreateMakesOneCommunicatorForEachGroup) {
  EXPECT_EQ(0, run_worlds(5, [](World& world) {
              // {3, 1} and {0, 4}; rank 2 gives an empty group.
              const std::int32_t me = world.rank().value;
              std::vector<ProcessId> members;
              if (me % 2 == 1) members = {ProcessId(3), ProcessId(1)};
              if (me % 4 == 0) members = {ProcessId(0), ProcessId(4)};
              const auto group = Ref<comm::Group>::adopt(new comm::Group(members));
              const auto made = expect_made(create(world, *world.comm_world(), group));
              EXPECT_EQ(static_cast<bool>(made), me != 2);
              if (!made) return;
              EXPECT_EQ(made->size(), 2);
              EXPECT_EQ(made->rank(), me == 3 || me == 0 ? 0 : 1);
              expect_ring(world, *made);
            }));
}

TEST(CommunicatorConstructors, CreateGroupAsksOnlyTheMembers) {
  for (int ranks : {1, 2, 3, 6, 7}) {
    EXPECT_EQ(0, run_worlds(ranks, [&](World& world) {
                if (world.rank().value == 1) return;  // takes no part
                std::vector<ProcessId> members;
                for (std::int32_t rank = ranks - 1; rank >= 0; --rank) {
                  if (rank != 1) members.push_back(process_of(WorldRank(rank)));
                }
                const auto group = Ref<comm::Group>::adopt(new comm::Group(members));
                const auto made = expect_made(create_group(world, *world.comm_world(), group, 42));
                ASSERT_TRUE(made);
                EXPECT_EQ(made->size(), static_cast<std::int32_t>(members.size()));
                EXPECT_EQ(made->process(made->rank()), world.process());
                expect_ring(world, *made);
              }));
  }
}

TEST(CommunicatorConstructors, PendingDupsCompleteInAnyOrder) {
  EXPECT_EQ(0, run_worlds(4, [](World& world) {
              auto first = PendingDup::start(world, world.comm_world());
              auto second = PendingDup::start(world, world.comm_world());
              ASSERT_TRUE(first.ok() && second.ok());
              world.p2p().wait(second.value()->request());
              world.p2p().wait(first.value()->request());
              const auto b = expect_made(second.value()->finish());
              const auto a = expect_made(first.value()->finish());
              ASSERT_TRUE(a && b);
              EXPECT_NE(a->context_id(), b->context_id());
              expect_ring(world, *a);
              expect_ring(world, *b);
              first.value()->request().dispose();
              second.value()->request().dispose();
            }));
}

TEST(CommunicatorConstructors, AllRanksAgreeOnTheContextOfEveryDup) {
  constexpr int kDups = 40;
  std::vector<std::atomic<std::uint32_t>> agreed(kDups);
  EXPECT_EQ(0, run_worlds(3, [&](World& world) {
              for (int index = 0; index < kDups; ++index) {
                const auto copy = expect_made(dup(world, *world.comm_world()));
                ASSERT_TRUE(copy);
                std::uint32_t nobody = 0;
                if (!agreed[static_cast<std::size_t>(index)].compare_exchange_strong(nobody, copy->context_id())) {
                  EXPECT_EQ(nobody, copy->context_id());
                }
              }
            }));
}

}  // namespace
}  // namespace starling::world
