// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "rma/shared/control.hpp"
#include "rma/shared/window_peers.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::rma {
namespace {

TEST(SharedLock, IsHeldByOneOrSharedByMany) {
  SharedLock lock;
  EXPECT_TRUE(lock.try_shared());
  EXPECT_TRUE(lock.try_shared());
  EXPECT_FALSE(lock.try_exclusive());
  lock.drop_shared();
  EXPECT_FALSE(lock.try_exclusive());
  lock.drop_shared();
  EXPECT_TRUE(lock.try_exclusive());
  EXPECT_FALSE(lock.try_shared());
  EXPECT_FALSE(lock.try_exclusive());
  lock.drop_exclusive();
  EXPECT_TRUE(lock.try_shared());
}

/// Ranks as threads, with a progress engine each.
void run_ranks(std::uint32_t ranks, const config::Store& config,
               const std::function<void(LocalRank, WindowPeers&)>& body) {
  auto segment = memory::JobSegment::create(transport::shm::geometry(ranks, config));
  ASSERT_TRUE(segment.ok()) << segment.status().message();
  std::vector<LocalRank> everybody;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) everybody.emplace_back(rank);
  std::vector<std::thread> threads;
  for (const LocalRank rank : everybody) {
    threads.emplace_back([&, rank] {
      progress::Engine progress(*segment.value(), rank, config);
      WindowPeers peers(progress, progress.segment(), everybody);
      body(rank, peers);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(WindowPeers, LetOneHolderInAtATimeHoweverTheyWait) {
  constexpr int kRounds = 2000;
  for (const char* wait : {"auto", "yield", "sleep"}) {
    config::Store config;
    ASSERT_TRUE(config.set("WAIT", wait).ok());
    SharedLock lock;
    long counter = 0;
    run_ranks(4, config, [&](LocalRank /*rank*/, WindowPeers& peers) {
      for (int i = 0; i < kRounds; ++i) {
        peers.take_exclusive(lock);
        ++counter;
        peers.drop_exclusive(lock);
      }
    });
    EXPECT_EQ(counter, 4L * kRounds) << wait;
    EXPECT_EQ(lock.waiting.load(), 0U);
  }
}

TEST(WindowPeers, WakeThoseWhoWaitToShare) {
  config::Store config;
  ASSERT_TRUE(config.set("WAIT", "sleep").ok());
  SharedLock lock;
  ASSERT_TRUE(lock.try_exclusive());
  std::atomic<int> inside{0};
  run_ranks(3, config, [&](LocalRank rank, WindowPeers& peers) {
    if (rank == LocalRank(0)) {
      while (lock.waiting.load() < 2) std::this_thread::yield();
      peers.drop_exclusive(lock);
      return;
    }
    peers.take_shared(lock);
    ++inside;
    while (inside.load() < 2) std::this_thread::yield();  // both hold it
    peers.drop_shared(lock);
  });
  EXPECT_EQ(lock.holders.load(), 0U);
}

TEST(Control, GivesEveryPairFlagsOfItsOwn) {
  for (const std::int32_t ranks : {1, 3, 17}) {
    for (const auto attaching : {Control::Attaching::kNo, Control::Attaching::kYes}) {
      const std::uint64_t bytes = Control::bytes(ranks, attaching);
      auto* memory = static_cast<std::byte*>(std::aligned_alloc(4096, bytes));
      Control control(memory, ranks);
      control.initialise(attaching);
      for (std::int32_t a = 0; a < ranks; ++a) {
        for (std::int32_t b = 0; b < ranks; ++b) {
          EXPECT_EQ(control.posted(a, b).fetch_add(1), 0U);
          EXPECT_EQ(control.completed(a, b).fetch_add(1), 0U);
        }
        EXPECT_TRUE(control.access(a).try_exclusive());
        EXPECT_TRUE(control.accumulate(a).try_exclusive());
        if (attaching == Control::Attaching::kYes) {
          EXPECT_FALSE(control.attachments(a).holds(1, 2));
        }
      }
      std::free(memory);
    }
  }
}

}  // namespace
}  // namespace starling::rma
