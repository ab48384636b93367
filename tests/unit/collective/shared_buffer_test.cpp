// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The shared memory of a communicator: who makes it, who finds it, what happens without it.
#include "collective/node/shared_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <thread>

#include "base/usable_cores.hpp"
#include "collective/run/communicator_state.hpp"
#include "unit/collective/ranks.hpp"

namespace starling::collective::test {
namespace {

TEST(SharedBuffer, IsTheSameForAllRanksAndGoneAfterTheLast) {
  run_ranks(4, [](RankWorld& world) {
    memory::JobSegment& segment = world.p2p().progress().segment();
    auto engine = world.engine();
    auto comm = world.communicator();
    std::int64_t mine = world.rank();
    std::vector<std::int64_t> all(4, -1);
    ASSERT_TRUE(engine->allgather(*comm, &mine, all.data(), sizeof mine).ok());
    EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3}));
    const std::uint64_t used = segment.header().arena_used.load();
    // Communicators that come and go use the same blocks again.
    for (int round = 0; round < 50; ++round) {
      auto another = world.communicator();
      ASSERT_TRUE(engine->allgather(*another, &mine, all.data(), sizeof mine).ok());
      another = {};
      ASSERT_TRUE(engine->allgather(*comm, &mine, all.data(), sizeof mine).ok());
    }
    EXPECT_LE(segment.header().arena_used.load(),
              used + 4 * SharedBufferLayout::total_bytes(4, SharedBufferLayout::kMostDepth));
  });
}

TEST(SharedBuffer, ThatFindsNoRoomIsMissedByNobody) {
  run_ranks(16,
            [](RankWorld& world) {
              auto engine = world.engine();
              for (int round = 0; round < 3; ++round) {
                auto comm = world.communicator();
                for (const std::size_t length : {1U, 1000U, 20000U}) {
                  std::vector<std::int64_t> data(length, world.rank() == 5 ? 42 : 0);
                  ASSERT_TRUE(
                      engine->broadcast(*comm, data.data(), static_cast<std::int64_t>(length * sizeof(std::int64_t)), 5)
                          .ok());
                  ASSERT_EQ(data, std::vector<std::int64_t>(length, 42));
                }
              }
              // Less than one shared buffer of 16 ranks.
              EXPECT_LT(world.p2p().progress().segment().arena().size(),
                        SharedBufferLayout::total_bytes(16, SharedBufferLayout::kLeastDepth));
            },
            {{"SHM_ARENA", "1m"}});
}

TEST(SharedBuffer, StaysWithinItsBudgetHoweverManyRanksThereAre) {
  for (const std::int32_t ranks : {2, 16, 64, 128, 256, 1000}) {
    const std::uint64_t depth = SharedBufferLayout::depth_for(ranks);
    EXPECT_LE(SharedBufferLayout::total_bytes(ranks, depth), 20U << 20) << ranks;
    EXPECT_TRUE(std::has_single_bit(depth)) << ranks;
    EXPECT_GE(depth, SharedBufferLayout::kLeastDepth) << ranks;
    EXPECT_TRUE(std::has_single_bit(SharedBufferLayout::segments_for(depth))) << ranks;
    EXPECT_GE(static_cast<std::int64_t>(SharedBufferLayout::segment_bytes(ranks)),
              SharedBufferLayout::kSmallestSegmentBytes);
  }
}

/// A root makes so many calls before any reader makes its first.
void run_ahead(std::int32_t ranks, std::int64_t bytes, int calls) {
  std::atomic<bool> ahead = false;
  run_ranks(ranks, [&](RankWorld& world) {
    auto engine = world.engine();
    auto comm = world.communicator();
    std::vector<char> data(static_cast<std::size_t>(bytes));
    const auto broadcast = [&](char value) {
      data.assign(data.size(), world.rank() == 0 ? value : 0);
      ASSERT_TRUE(engine->broadcast(*comm, data.data(), bytes, 0).ok());
      ASSERT_EQ(data, std::vector<char>(data.size(), value));
    };
    broadcast(-1);
    std::int64_t number = 1;
    std::vector<std::int64_t> all(static_cast<std::size_t>(ranks));
    ASSERT_TRUE(engine->allgather(*comm, &number, all.data(), sizeof number).ok());
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (world.rank() != 0 && !ahead && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
    EXPECT_TRUE(world.rank() == 0 || ahead) << "the root waits for readers: " << ranks << " ranks, " << bytes;
    for (int i = 0; i < calls; ++i) broadcast(static_cast<char>(i));
    if (world.rank() == 0) ahead = true;
  });
}

TEST(SharedBuffer, LetsARootRunAheadByAsManyCallsAsThereArePlaces) {
  struct Row {
    std::int64_t bytes;
    int calls;
  };
  const auto more_than_cores = static_cast<std::int32_t>(usable_cores()) + 2;
  const auto flags = static_cast<int>(SharedBufferLayout::depth_for(more_than_cores));
  for (const Row row : {Row{1000, 64}, Row{8 * 1024, 32}, Row{30 * 1024, 8}}) {
    run_ahead(more_than_cores, row.bytes, std::min(row.calls, flags));
  }
  if (usable_cores() < 2) return;
  // One less: the reader may not have left the allgather, and who has had to wait waits until half of the flags are
  // free.
  for (const Row row : {Row{100, 63}, Row{1000, 63}, Row{4 * 1024, 63}, Row{8 * 1024, 31}, Row{30 * 1024, 7}}) {
    run_ahead(2, row.bytes, row.calls);
  }
}

TEST(SharedBuffer, LearnsInHowManyPlacesDataLieBestUnlessTheSettingForbidsIt) {
  if (usable_cores() < 2) GTEST_SKIP() << "with more ranks than cores there is one way";
  static constexpr int kCalls = 1000;
  for (const bool learns : {false, true}) {
    run_ranks(2, [learns](RankWorld& world) {
      const auto engine = world.engine({{"COLL_LEARN", learns ? "1" : "0"}});
      const Ref<comm::Communicator> comm = world.communicator();
      std::vector<char> data(8 * 1024);
      const auto bytes = static_cast<std::int64_t>(data.size());
      int few = 0;
      for (int call = 0; call < kCalls; ++call) {
        if (world.rank() == 0) data.assign(data.size(), static_cast<char>(call));
        ASSERT_TRUE(engine->broadcast(*comm, data.data(), bytes, 0).ok());
        ASSERT_EQ(data, std::vector<char>(data.size(), static_cast<char>(call)));
        if (world.rank() != 0) continue;
        const SharedBuffer& shared = *static_cast<CommunicatorState&>(*comm->collective_state).memory.buffer();
        const std::uint64_t k = shared.upcoming() - 1;
        const bool is_few = shared.flag(0, k).few != 0;
        few += is_few ? 1 : 0;
        const std::uint64_t places = shared.places_for(8 * 1024, is_few ? Area::kFewPlaces : Area::kAll);
        const std::byte* const first = shared.segment(0, 0);
        EXPECT_EQ(static_cast<std::uint64_t>(shared.data(0, k, bytes, Pace::kAhead) - first), k % places * 8 * 1024);
      }
      if (world.rank() != 0) return;
      EXPECT_EQ(few > 0, learns);
      EXPECT_LT(few, kCalls);
    });
  }
}

TEST(SharedBuffer, CarriesSizesThatChangeFromCallToCall) {
  for (const std::int32_t ranks : {2, static_cast<std::int32_t>(usable_cores()) + 2}) {
    run_ranks(ranks, [](RankWorld& world) {
      auto engine = world.engine();
      auto comm = world.communicator();
      std::uint64_t state = 20261129;
      for (int call = 0; call < 2000; ++call) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const std::int64_t bytes = std::int64_t{1} << (state >> 60);  // 1 to 32768
        const auto value = static_cast<char>(call);
        if ((state >> 50 & 3) == 0) {  // a call in which all keep together, among those of roots
          const std::vector<char> mine(static_cast<std::size_t>(bytes), static_cast<char>(value + world.rank()));
          std::vector<char> all(mine.size() * static_cast<std::size_t>(world.size()));
          ASSERT_TRUE(engine->allgather(*comm, mine.data(), all.data(), bytes).ok());
          ASSERT_EQ(all.front(), value) << call;
          ASSERT_EQ(all.back(), static_cast<char>(value + world.size() - 1)) << call;
          continue;
        }
        const auto root = static_cast<std::int32_t>(state >> 40 & 3) % world.size();
        std::vector<char> data(static_cast<std::size_t>(bytes), world.rank() == root ? value : 0);
        ASSERT_TRUE(engine->broadcast(*comm, data.data(), bytes, root).ok());
        ASSERT_EQ(data, std::vector<char>(data.size(), value)) << call;
      }
    });
  }
}

}  // namespace
}  // namespace starling::collective::test
