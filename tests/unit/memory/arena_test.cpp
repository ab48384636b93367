// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/arena.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace starling::memory {
namespace {

constexpr std::uint64_t kPage = 4096;

std::unique_ptr<JobSegment> segment_with_arena(std::uint64_t bytes) {
  JobGeometry geometry;
  geometry.ranks = 1;
  geometry.ring_slots = 8;
  geometry.connection_bytes = kPage;
  geometry.arena_bytes = bytes;
  auto segment = JobSegment::create(geometry);
  EXPECT_TRUE(segment.ok()) << segment.status().message();
  return std::move(segment).value();
}

TEST(Arena, HandsOutBlocksThatNeverOverlap) {
  auto segment = segment_with_arena(1 << 20);
  Arena arena(*segment);
  const Arena::Guard guard(*segment);
  ASSERT_TRUE(arena.open(guard).ok());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;
  for (const std::uint64_t bytes : {1U, 4096U, 4097U, 100U, 20000U}) {
    auto offset = arena.allocate(guard, bytes);
    ASSERT_TRUE(offset.ok()) << offset.status().message();
    EXPECT_NE(offset.value(), 0U);
    EXPECT_EQ(offset.value() % kPage, 0U);
    for (const auto& [other, size] : blocks) {
      EXPECT_TRUE(offset.value() >= other + size || offset.value() + bytes <= other);
    }
    blocks.emplace_back(offset.value(), bytes);
  }
}

TEST(Arena, HandsAReleasedBlockToTheNextOfItsSize) {
  auto segment = segment_with_arena(1 << 20);
  Arena arena(*segment);
  const Arena::Guard guard(*segment);
  ASSERT_TRUE(arena.open(guard).ok());
  const std::uint64_t first = arena.allocate(guard, 5000).value();
  const std::uint64_t second = arena.allocate(guard, 5000).value();
  arena.release(guard, first, 5000);
  EXPECT_NE(arena.allocate(guard, 4000).value(), first);
  EXPECT_EQ(arena.allocate(guard, 8192).value(), first);
  EXPECT_NE(arena.allocate(guard, 8192).value(), second);
}

TEST(Arena, SaysWhatIsHandedOutWhenItIsFull) {
  auto segment = segment_with_arena(16 * kPage);
  Arena arena(*segment);
  const Arena::Guard guard(*segment);
  ASSERT_TRUE(arena.open(guard).ok());
  const auto refused = arena.allocate(guard, 16 * kPage);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().error_class(), ErrorClass::kNoMem);
  EXPECT_NE(refused.status().message().find("STARLING_SHM_ARENA"), std::string::npos) << refused.status().message();
  EXPECT_TRUE(arena.allocate(guard, kPage).ok());
}

TEST(Arena, GivesNothingMoreOnceClosedButKeepsItsRoots) {
  auto segment = segment_with_arena(1 << 20);
  Arena arena(*segment);
  const Arena::Guard guard(*segment);
  ASSERT_TRUE(arena.open(guard).ok());
  arena.root(guard, Arena::Root::kWindows) = 77;
  arena.close(guard);
  EXPECT_FALSE(arena.allocate(guard, 1).ok());
  ASSERT_TRUE(arena.open(guard).ok());
  EXPECT_EQ(arena.root(guard, Arena::Root::kWindows), 77U);
}

TEST(Arena, WithoutAPageCannotBeOpened) {
  auto segment = segment_with_arena(0);
  Arena arena(*segment);
  const Arena::Guard guard(*segment);
  EXPECT_FALSE(arena.open(guard).ok());
  EXPECT_FALSE(arena.open(guard).ok());
}

TEST(ArenaGuard, LetsOneThreadInAtATime) {
  auto segment = segment_with_arena(1 << 20);
  int inside = 0;
  int most = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1000; ++round) {
        const Arena::Guard guard(*segment);
        most = std::max(most, ++inside);
        --inside;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(most, 1);
}

TEST(ArenaGuard, IsTakenOverFromAProcessThatDiedInside) {
  auto segment = segment_with_arena(1 << 20);
  const pid_t child = fork();
  if (child == 0) {
    new Arena::Guard(*segment);  // never released
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_NE(segment->header().arena_lock.load(), 0U);
  const Arena::Guard guard(*segment);
  EXPECT_EQ(segment->header().arena_lock.load(), static_cast<std::uint64_t>(getpid()));
}

}  // namespace
}  // namespace starling::memory
