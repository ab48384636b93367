// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/processes.hpp"

#include <gtest/gtest.h>

namespace starling::world {
namespace {

TEST(Processes, OfTheOwnJobHaveTheirWorldRanks) {
  Processes processes(7, 4);
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(processes.number_of({7, rank}), static_cast<std::int32_t>(rank));
    EXPECT_EQ(processes.id_of(static_cast<std::int32_t>(rank)), (ProcessId{7, rank}));
  }
}

TEST(Processes, OfOtherJobsGetNumbersAfterThemAndKeepThem) {
  Processes processes(7, 4);
  EXPECT_EQ(processes.number_of({9, 1}), 4);
  EXPECT_EQ(processes.number_of({8, 1}), 5);
  EXPECT_EQ(processes.number_of({9, 1}), 4);
  EXPECT_EQ(processes.id_of(5), (ProcessId{8, 1}));
}

}  // namespace
}  // namespace starling::world
