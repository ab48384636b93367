// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job_segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace starling::memory {
namespace {

constexpr std::uint64_t kSegmentPage = 4096;

JobGeometry geometry_of(std::uint32_t ranks) {
  JobGeometry geometry;
  geometry.ranks = ranks;
  geometry.ring_slots = 8;
  geometry.connection_bytes = 4 * kSegmentPage;
  geometry.sender_pool_bytes = 2 * kSegmentPage;
  geometry.arena_bytes = 16 * kSegmentPage;
  return geometry;
}

std::unique_ptr<JobSegment> create(std::uint32_t ranks) {
  auto created = JobSegment::create(geometry_of(ranks));
  EXPECT_TRUE(created.ok()) << created.status().message();
  return std::move(created).value();
}

std::uint64_t real_bytes(const JobSegment& segment) {
  struct stat info {};
  fstat(segment.descriptor(), &info);
  return static_cast<std::uint64_t>(info.st_blocks) * 512;
}

TEST(JobSegment, StartsWithEveryRankYetToCome) {
  const auto segment = create(70);
  EXPECT_EQ(segment->ranks(), 70U);
  EXPECT_EQ(segment->header().abort_rank.load(), -1);
  for (std::uint32_t rank = 0; rank < 70; ++rank) {
    EXPECT_EQ(segment->rank(LocalRank(rank)).state.load(), RankState::kStarting);
    EXPECT_EQ(segment->rank(LocalRank(rank)).pid.load(), 0);
    for (const auto& word : segment->incoming(LocalRank(rank))) EXPECT_EQ(word.load(), 0U);
  }
}

TEST(JobSegment, ShowsTheWritesOfOneMappingInAnother) {
  const auto launcher = create(3);
  auto attached = JobSegment::attach(dup(launcher->descriptor()));
  ASSERT_TRUE(attached.ok()) << attached.status().message();
  const auto& rank = attached.value();
  EXPECT_EQ(rank->ranks(), 3U);
  EXPECT_EQ(rank->header().geometry.arena_bytes, 16 * kSegmentPage);
  launcher->rank(LocalRank(2)).app_number = 17;
  EXPECT_EQ(rank->rank(LocalRank(2)).app_number, 17);
  rank->connection(LocalRank(1), LocalRank(2)).back() = std::byte{42};
  EXPECT_EQ(launcher->connection(LocalRank(1), LocalRank(2)).back(), std::byte{42});
  rank->arena().front() = std::byte{43};
  EXPECT_EQ(launcher->arena().front(), std::byte{43});
}

TEST(JobSegment, IsSharedWithAChildProcess) {
  const auto segment = create(2);
  const pid_t child = fork();
  if (child == 0) {
    auto attached = JobSegment::attach(dup(segment->descriptor()));
    if (attached.ok()) attached.value()->rank(LocalRank(1)).pid.store(getpid());
    _exit(attached.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(segment->rank(LocalRank(1)).pid.load(), child);
}

TEST(JobSegment, KeepsItsPartsApartAndOnTheirOwnPages) {
  const auto segment = create(5);
  std::byte* end = reinterpret_cast<std::byte*>(&segment->header() + 1);
  const auto follows = [&end](std::span<std::byte> part) {
    EXPECT_GE(part.data(), end);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part.data()) % kSegmentPage, 0U);
    end = part.data() + part.size();
  };
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    EXPECT_GE(reinterpret_cast<std::byte*>(&segment->rank(LocalRank(rank))), end);
    end = reinterpret_cast<std::byte*>(&segment->rank(LocalRank(rank)) + 1);
  }
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    const auto words = std::as_writable_bytes(segment->incoming(LocalRank(rank)));
    EXPECT_GE(words.data(), end);
    EXPECT_EQ(words.size() % kCacheLine, 0U) << "two ranks would share a cache line";
    end = words.data() + words.size();
  }
  for (std::uint32_t receiver = 0; receiver < 5; ++receiver) {
    for (std::uint32_t sender = 0; sender < 5; ++sender)
      follows(segment->connection(LocalRank(receiver), LocalRank(sender)));
  }
  for (std::uint32_t sender = 0; sender < 5; ++sender) follows(segment->sender_pool(LocalRank(sender)));
  follows(segment->arena());
}

TEST(JobSegment, CostsNoMemoryForPairsThatNeverTalk) {
  JobGeometry geometry = geometry_of(64);
  geometry.connection_bytes = 1 << 20;
  geometry.arena_bytes = std::uint64_t{1} << 30;
  auto created = JobSegment::create(geometry);
  ASSERT_TRUE(created.ok()) << created.status().message();
  const std::uint64_t at_start = real_bytes(*created.value());
  EXPECT_LT(at_start, 64 * (sizeof(RankBlock) + 4096U) + (1 << 17)) << "64 bytes a pair would be 1 << 18 more";
  ASSERT_TRUE(created.value()->commit(created.value()->connection(LocalRank(3), LocalRank(4))).ok());
  EXPECT_EQ(real_bytes(*created.value()), at_start + (1 << 20));
}

TEST(JobSegment, CommitsEveryPageThatARangeTouches) {
  const auto segment = create(2);
  const std::uint64_t before = real_bytes(*segment);
  ASSERT_TRUE(segment->commit(segment->arena().subspan(kSegmentPage - 1, 2)).ok());
  EXPECT_EQ(real_bytes(*segment), before + 2 * kSegmentPage);
}

TEST(JobSegment, RefusesALayoutOfAnotherVersion) {
  const auto segment = create(2);
  segment->header().version += 1;
  const auto attached = JobSegment::attach(dup(segment->descriptor()));
  ASSERT_FALSE(attached.ok());
  EXPECT_NE(attached.status().message().find("must come from one build"), std::string::npos)
      << attached.status().message();
}

TEST(JobSegment, ReadsNoMoreThanTheVersionOfAnOlderHeader) {
  const auto segment = create(2);
  segment->header().version = 5;
  const auto attached = JobSegment::attach(dup(segment->descriptor()));
  ASSERT_FALSE(attached.ok());
  EXPECT_NE(attached.status().message().find("made by an older Starling"), std::string::npos)
      << attached.status().message();
}

TEST(JobSegment, RefusesTheSameVersionLaidOutOtherwise) {
  const auto segment = create(2);
  segment->header().layout ^= 1;
  const auto attached = JobSegment::attach(dup(segment->descriptor()));
  ASSERT_FALSE(attached.ok());
  EXPECT_NE(attached.status().message().find("made by Starling"), std::string::npos) << attached.status().message();
}

TEST(JobSegment, SaysWhichGuardWordHasBeenOverwritten) {
  const auto segment = create(3);
  EXPECT_TRUE(segment->check_guards().ok());
  const auto damage = [&](std::uint64_t& word) {
    const std::uint64_t before = std::exchange(word, 0);
    const std::string message = segment->check_guards().message();
    word = before;
    return message;
  };
  EXPECT_NE(damage(segment->header().magic).find("start of its header"), std::string::npos);
  EXPECT_NE(damage(segment->header().guard).find("end of its header"), std::string::npos);
  EXPECT_NE(damage(segment->rank(LocalRank(1)).guard_before).find("crash record of rank 1"), std::string::npos);
  EXPECT_NE(damage(segment->rank(LocalRank(2)).guard_behind).find("behind the block of rank 2"), std::string::npos);
  EXPECT_TRUE(segment->check_guards().ok());
}

TEST(JobSegment, RefusesAHeaderOfZerosBehindTheMagic) {
  const int damaged = memfd_create("damaged", 0);
  const auto segment = create(2);
  segment->header().geometry.ranks = 0;
  ASSERT_EQ(write(damaged, &segment->header(), sizeof(JobHeader)), static_cast<ssize_t>(sizeof(JobHeader)));
  EXPECT_FALSE(JobSegment::attach(damaged).ok());
}

TEST(JobSegment, SaysHowManyRanksFit) {
  const auto created = JobSegment::create(geometry_of(1'000'000));
  ASSERT_FALSE(created.ok());
  EXPECT_NE(created.status().message().find("1000000 ranks are too many"), std::string::npos)
      << created.status().message();
}

TEST(JobSegment, RefusesAFileThatIsNoJob) {
  const int foreign = memfd_create("foreign", 0);
  ASSERT_EQ(ftruncate(foreign, 64 * kSegmentPage), 0);
  EXPECT_FALSE(JobSegment::attach(foreign).ok());
  const int empty = memfd_create("empty", 0);
  EXPECT_FALSE(JobSegment::attach(empty).ok());
}

TEST(JobSegment, RefusesAFileThatIsShorterThanItsHeaderSays) {
  const auto segment = create(2);
  const int shorter = memfd_create("shorter", 0);
  ASSERT_EQ(write(shorter, &segment->header(), sizeof(JobHeader)), static_cast<ssize_t>(sizeof(JobHeader)));
  EXPECT_FALSE(JobSegment::attach(shorter).ok());
}

TEST(JobSegment, SaysThatTheLaunchersDescriptorIsClosed) {
  const int closed = dup(STDERR_FILENO);
  close(closed);
  const auto attached = JobSegment::attach(closed);
  ASSERT_FALSE(attached.ok());
  EXPECT_NE(attached.status().message().find("is not open in this process"), std::string::npos);
}

TEST(JobSegment, GoesWithItsLastOwner) {
  int descriptor = -1;
  {
    const auto segment = create(1);
    descriptor = segment->descriptor();
  }
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1);
}

/// Creates a segment in a child whose file size limit is too small for it: 0 if that gave kNoMem.
int create_under_file_size_limit() {
  const rlimit limit{64 * kSegmentPage, 64 * kSegmentPage};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
  const auto created = JobSegment::create(geometry_of(64));
  return !created.ok() && created.status().error_class() == ErrorClass::kNoMem ? 0 : 1;
}

TEST(JobSegment, ReportsAFileSizeLimitInsteadOfDyingOfIt) {
  const pid_t child = fork();
  if (child == 0) _exit(create_under_file_size_limit());
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(JobSegment, ShowsARevocationToEverybodyInItAndNoOther) {
  const auto mine = create(2);
  const auto theirs = JobSegment::attach(dup(mine->descriptor())).value();
  EXPECT_FALSE(theirs->is_revoked(70));
  EXPECT_TRUE(mine->publish_revocation(70));
  EXPECT_TRUE(mine->publish_revocation(JobSegment::kRevocable - 1));
  EXPECT_EQ(theirs->header().events.load(), 2u);
  for (const std::uint32_t number : {0U, 69U, 71U, 134U, JobSegment::kRevocable - 2}) {
    EXPECT_FALSE(theirs->is_revoked(number)) << number;
  }
  EXPECT_TRUE(theirs->is_revoked(70));
  EXPECT_TRUE(theirs->is_revoked(JobSegment::kRevocable - 1));
  EXPECT_FALSE(mine->publish_revocation(JobSegment::kRevocable));
  EXPECT_FALSE(theirs->is_revoked(JobSegment::kRevocable));
}

std::vector<std::int32_t> dead_of(const JobSegment& segment) {
  std::vector<std::int32_t> dead;
  for (std::uint32_t rank = 0; rank < segment.header().geometry.world_ranks; ++rank) {
    if (segment.liveness().is_dead(WorldRank(rank))) dead.push_back(static_cast<std::int32_t>(rank));
  }
  return dead;
}

TEST(Liveness, KnowsTheDeadOfThisNodeByTheirWorldRanks) {
  JobGeometry geometry = geometry_of(3);
  geometry.world_ranks = 200;
  const auto segment = JobSegment::create(geometry).value();
  segment->rank(LocalRank(2)).home_rank = WorldRank(130);
  publish_death(*segment, LocalRank(2));
  publish_death(*segment, LocalRank(2));
  EXPECT_EQ(dead_of(*segment), std::vector<std::int32_t>{130});
  EXPECT_EQ(segment->rank(LocalRank(2)).state.load(), RankState::kDead);
  EXPECT_EQ(segment->header().events.load(), 1U);
}

TEST(Liveness, KnowsTheDeadOfOtherNodesWhileAllOfThisOneLive) {
  JobGeometry geometry = geometry_of(3);
  geometry.world_ranks = 200;
  const auto segment = JobSegment::create(geometry).value();
  const auto other = JobSegment::attach(dup(segment->descriptor())).value();
  for (const std::int32_t rank : {199, 64, 63, 64}) publish_death(*segment, WorldRank(rank));
  EXPECT_EQ(dead_of(*other), (std::vector<std::int32_t>{63, 64, 199}));
  EXPECT_EQ(segment->header().events.load(), 3U);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(segment->rank(LocalRank(rank)).state.load(), RankState::kStarting);
  }
}

}  // namespace
}  // namespace starling::memory
