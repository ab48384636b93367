// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <random>

#include "transport/shm/geometry.hpp"

namespace starling::transport::shm {
namespace {

constexpr std::uint32_t kSlots = 16;

struct PoolTest : ::testing::Test {
  void SetUp() override {
    config::Store config;
    auto made = memory::JobSegment::create(geometry(2, config));
    ASSERT_TRUE(made.ok()) << made.status().message();
    segment = std::move(made).value();
    buffers = view(*segment, LocalRank(1), LocalRank(0)).buffers;
  }
  std::unique_ptr<memory::JobSegment> segment;
  std::span<std::byte> buffers;
  Status failure;
};

TEST_F(PoolTest, NeverHandsOutMemoryThatIsStillUnderWay) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  ConnectionPool pool;
  pool.open(*segment, buffers, kSlots);
  struct Piece {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t slot;
  };
  std::deque<Piece> under_way;
  std::uint32_t next = 0;
  int refused = 0;
  for (int step = 0; step < 100'000; ++step) {
    if (under_way.size() < kSlots && random() % 2 == 0) {
      const std::uint64_t bytes = 1 + random() % (buffers.size() / 3);
      const Filling filling = random() % 2 == 0 ? Filling::kThroughCache : Filling::kPastCache;
      if (under_way.empty()) pool.restart(filling);
      const auto offset = pool.take(bytes, &failure);
      ASSERT_TRUE(failure.ok()) << failure.message();
      if (!offset) {
        ++refused;
        ASSERT_FALSE(under_way.empty()) << "an empty pool refused " << bytes << " bytes";
        continue;
      }
      ASSERT_LE(*offset + bytes, buffers.size());
      for (const Piece& piece : under_way) {
        ASSERT_TRUE(*offset >= piece.end || *offset + bytes <= piece.begin) << "step " << step;
      }
      if (filling == Filling::kPastCache) pool.note_past_cache();
      pool.end_postbox(next);
      under_way.push_back({*offset, *offset + bytes, next});
      next = (next + 1) % kSlots;
    } else if (!under_way.empty()) {
      const std::uint32_t slot = under_way.front().slot;
      under_way.pop_front();
      pool.free_to(slot);
    }
  }
  EXPECT_GT(refused, 0) << "the pool was never full, so the test showed nothing";
}

TEST_F(PoolTest, SenderPoolHandsOutEachBlockOnceUntilItComesBack) {
  SenderPool pool;
  pool.open(*segment, buffers, 8192);
  std::vector<std::uint32_t> taken;
  while (true) {
    const std::uint32_t block = pool.take(&failure);
    if (block == SenderPool::kNone) break;
    EXPECT_EQ(std::count(taken.begin(), taken.end(), block), 0);
    EXPECT_LE(pool.offset(block) + 8192, buffers.size());
    taken.push_back(block);
  }
  EXPECT_EQ(taken.size(), buffers.size() / 8192);
  pool.give(taken.front());
  EXPECT_EQ(pool.take(&failure), taken.front());
}

TEST(Layout, SharedStructuresKeepTheirSizes) {
  EXPECT_EQ(sizeof(Postbox), 64u);
  EXPECT_EQ(sizeof(CopyDescriptor), 64u);
  EXPECT_EQ(sizeof(ConnectionHead), 2176u);
}

}  // namespace
}  // namespace starling::transport::shm
