// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/processes.hpp"

#include <gtest/gtest.h>

namespace starling::world {
namespace {

TEST(Processes, OfTheOwnJobHaveTheirWorldRanks) {
  Processes processes(7, 4);
  for (WorldRank rank{0}; rank.value < 4; ++rank.value) {
    EXPECT_EQ(processes.number_of({7, rank}), process_of(rank));
    EXPECT_EQ(processes.global(process_of(rank)), (GlobalProcess{7, rank}));
  }
}

TEST(Processes, OfOtherJobsGetNumbersAfterThemAndKeepThem) {
  Processes processes(7, 4);
  const WorldRank one(1);
  EXPECT_EQ(processes.number_of({9, one}), ProcessId(4));
  EXPECT_EQ(processes.number_of({8, one}), ProcessId(5));
  EXPECT_EQ(processes.number_of({9, one}), ProcessId(4));
  EXPECT_EQ(processes.global(ProcessId(5)), (GlobalProcess{8, one}));
}

}  // namespace
}  // namespace starling::world
