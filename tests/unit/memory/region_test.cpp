// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/region.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace starling::memory {
namespace {

constexpr std::uint64_t kRegionPage = 4096;

std::unique_ptr<JobSegment> small_segment() {
  JobGeometry geometry;
  geometry.ranks = 2;
  geometry.ring_slots = 8;
  geometry.connection_bytes = kRegionPage;
  geometry.arena_bytes = kRegionPage;
  auto segment = JobSegment::create(geometry);
  EXPECT_TRUE(segment.ok()) << segment.status().message();
  return std::move(segment).value();
}

std::unique_ptr<Region> region_of(JobSegment& segment, std::uint64_t bytes) {
  auto region = Region::create(segment, bytes);
  EXPECT_TRUE(region.ok()) << region.status().message();
  EXPECT_TRUE(region.value()->commit(0, bytes).ok());
  return std::move(region).value();
}

std::int64_t blocks_of(const JobSegment& segment) {
  struct stat file {};
  fstat(segment.descriptor(), &file);
  return file.st_blocks;
}

TEST(Region, IsZeroAtFirstAndSharedWithWhoeverAttaches) {
  auto segment = small_segment();
  auto region = region_of(*segment, 3 * kRegionPage);
  EXPECT_EQ(region->data()[2 * kRegionPage], std::byte{0});
  auto other = Region::attach(*segment, region->place());
  ASSERT_TRUE(other.ok()) << other.status().message();
  region->data()[3 * kRegionPage - 1] = std::byte{42};
  EXPECT_EQ(other.value()->data()[3 * kRegionPage - 1], std::byte{42});
}

TEST(Region, IsSharedWithOtherProcesses) {
  auto segment = small_segment();
  auto region = region_of(*segment, kRegionPage);
  const pid_t child = fork();
  if (child == 0) {
    auto mine = Region::attach(*segment, region->place());
    if (mine.ok()) mine.value()->data()[7] = std::byte{9};
    _exit(mine.ok() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(region->data()[7], std::byte{9});
}

TEST(Region, NeverOverlapsWithAnother) {
  auto segment = small_segment();
  auto first = region_of(*segment, 100);
  auto second = region_of(*segment, 5 * kRegionPage);
  auto third = region_of(*segment, 1);
  EXPECT_GE(second->place().offset, first->place().offset + first->place().bytes);
  EXPECT_GE(third->place().offset, second->place().offset + second->place().bytes);
  std::memset(second->data(), 1, 5 * kRegionPage);
  EXPECT_EQ(first->data()[0], std::byte{0});
  EXPECT_EQ(third->data()[0], std::byte{0});
}

TEST(Region, GivesItsMemoryAndItsPlaceBack) {
  auto segment = small_segment();
  const std::int64_t before = blocks_of(*segment);
  auto first = region_of(*segment, 64 * kRegionPage);
  std::memset(first->data(), 1, 64 * kRegionPage);
  EXPECT_GT(blocks_of(*segment), before);
  const std::uint64_t offset = first->place().offset;
  first->give_back(Arena::Guard(*segment));
  first.reset();
  EXPECT_EQ(blocks_of(*segment), before);
  auto second = region_of(*segment, kRegionPage);
  EXPECT_EQ(second->place().offset, offset);
  EXPECT_EQ(second->data()[0], std::byte{0});
}

TEST(Region, LeavesTheFixedPartsOfTheSegmentReadable) {
  auto segment = small_segment();
  auto region = region_of(*segment, kRegionPage);
  auto late = JobSegment::attach(dup(segment->descriptor()));
  ASSERT_TRUE(late.ok()) << late.status().message();
  EXPECT_EQ(late.value()->ranks(), 2U);
}

TEST(Region, RefusesWhatNoMachineHas) {
  auto segment = small_segment();
  auto region = Region::create(*segment, std::uint64_t{1} << 63);
  ASSERT_FALSE(region.ok());
  EXPECT_EQ(region.status().error_class(), ErrorClass::kNoMem);
}

}  // namespace
}  // namespace starling::memory
