// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an entry has room for.
#include "element/entry.hpp"

#include <gtest/gtest.h>

namespace starling::array::detail {
namespace {

TEST(Entry, KnowsWhereItGoesAmongFourMillionProcesses) {
  Entry entry(Index("cell", 4));
  for (const int process : {0, 1, 65535, 65536, 65537, 1'000'000, Entry::kMostProcesses - 1}) {
    entry.is_leaving = true;
    entry.tombstones = 4097;
    entry.suspended = 3;
    entry.leave_for(process);
    EXPECT_EQ(entry.bound_for(), process);
    EXPECT_EQ(entry.tombstones, 4097u);  // as many as a home keeps, and one
    EXPECT_EQ(entry.suspended, 3);
    EXPECT_TRUE(entry.is_leaving);
    EXPECT_FALSE(entry.is_fixed);
  }
}

TEST(Entry, RefusesASessionOfMoreProcessesThanItCanName) {
  EXPECT_NO_THROW(Entry::must_have_room_for(1));
  EXPECT_NO_THROW(Entry::must_have_room_for(Entry::kMostProcesses));
  try {
    Entry::must_have_room_for(Entry::kMostProcesses + 1);
    FAIL() << "it is not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "a session of 4194305 processes: an element can only be sent to one of the first 4194304, "
                 "so make the session of a part of them");
  }
}

}  // namespace
}  // namespace starling::array::detail
