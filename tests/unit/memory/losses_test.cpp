// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/losses.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/format.hpp"

namespace starling::memory {
namespace {

using How = Losses::How;

std::unique_ptr<JobSegment> segment_of(std::uint32_t world_ranks) {
  JobGeometry geometry;
  geometry.ranks = 2;
  geometry.world_ranks = world_ranks;
  return JobSegment::create(geometry).value();
}

/// "3 64!": rank 3 by the end of a connection, 64 by silence.
std::string taken(const JobSegment& segment) {
  std::string text;
  losses_of(segment).take([&](WorldRank rank, How how) {
    text += formatted("{}{}{}", text.empty() ? "" : " ", rank.value, how == How::kSilence ? "!" : "");
  });
  return text;
}

TEST(Losses, AreTakenOnceByAnotherProcess) {
  const auto ranks = segment_of(200);
  const auto launcher = JobSegment::attach(dup(ranks->descriptor())).value();
  EXPECT_EQ(taken(*launcher), "");
  for (const std::int32_t rank : {199, 0, 31, 32, 0}) losses_of(*ranks).note(WorldRank(rank), How::kEnd);
  for (const std::int32_t rank : {64, 32}) losses_of(*ranks).note(WorldRank(rank), How::kSilence);
  EXPECT_EQ(taken(*launcher), "0 31 32 32! 64! 199");
  EXPECT_EQ(taken(*launcher), "");
  losses_of(*ranks).note(WorldRank(31), How::kEnd);
  EXPECT_EQ(taken(*launcher), "31");
}

TEST(Losses, AreNoDeaths) {
  for (const std::uint32_t world_ranks : {1U, 2U, 63U, 64U, 65U, 512U, 513U, 5000U}) {
    const auto segment = segment_of(world_ranks);
    for (std::uint32_t rank = 0; rank < world_ranks; ++rank) {
      losses_of(*segment).note(WorldRank(rank), How::kEnd);
      losses_of(*segment).note(WorldRank(rank), How::kSilence);
    }
    for (std::uint32_t rank = 0; rank < world_ranks; ++rank) {
      ASSERT_FALSE(segment->liveness().is_dead(WorldRank(rank))) << world_ranks << " " << rank;
    }
    for (std::uint32_t rank = 0; rank < world_ranks; ++rank) segment->liveness().set_dead(WorldRank(rank));
    std::uint32_t count = 0;
    losses_of(*segment).take([&](WorldRank, How) { ++count; });
    EXPECT_EQ(count, 2 * world_ranks);
  }
}

}  // namespace
}  // namespace starling::memory
