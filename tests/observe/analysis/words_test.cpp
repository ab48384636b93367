// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/model/words.hpp"

#include <gtest/gtest.h>

namespace starling::observe {
namespace {

TEST(Words, NameStretchesOfRanks) {
  EXPECT_EQ(rank_numbers({4}), "4");
  EXPECT_EQ(rank_numbers({4, 3}), "3 and 4");
  EXPECT_EQ(rank_numbers({0, 1, 2, 3}), "0 to 3");
  EXPECT_EQ(rank_numbers({8, 0, 1, 2, 3, 5}), "0 to 3, 5 and 8");
  EXPECT_EQ(rank_numbers({1, 2}, "or"), "1 or 2");
  EXPECT_EQ(rank_names({2}), "rank 2");
  EXPECT_EQ(rank_names({2, 7}), "ranks 2 and 7");
}

TEST(Words, CutLongSetsAndSayHowMuchIsLeftOut) {
  std::vector<std::int32_t> odd;
  for (std::int32_t rank = 1; rank < 100; rank += 2) odd.push_back(rank);
  EXPECT_EQ(rank_numbers(odd), "1, 3, 5, 7, 9, 11, 13, 15 and 42 more");
}

TEST(Words, GiveTimesTheUnitThatPeopleUse) {
  EXPECT_EQ(duration_text(300'000'000), "0.3 s");
  EXPECT_EQ(duration_text(41'200'000'000), "41 s");
  EXPECT_EQ(duration_text(720'000'000'000), "12 min");
  EXPECT_EQ(duration_text(40'000'000'000'000), "11 h");
}

}  // namespace
}  // namespace starling::observe
