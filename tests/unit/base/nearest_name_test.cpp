// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace starling {
namespace {

std::string_view of(NearestName nearest, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) nearest.offer(name);
  return nearest.found();
}

TEST(NearestName, CountsCharactersThatAreInsertedDeletedAndReplaced) {
  EXPECT_EQ(of(NearestName("hostfil"), {"host", "hostfile", "profile"}), "hostfile");
  EXPECT_EQ(of(NearestName("tracee"), {"race", "trace"}), "trace");
  EXPECT_EQ(of(NearestName("sea"), {"see", "trace"}), "see");
}

TEST(NearestName, TakesTheFirstOfThoseThatAreEquallyNear) { EXPECT_EQ(of(NearestName("bat"), {"cat", "rat"}), "cat"); }

TEST(NearestName, FindsAnyNameWhereTheReachIsNotLimited) {
  EXPECT_EQ(of(NearestName("x"), {"collective", "ring"}), "ring");
  EXPECT_EQ(of(NearestName("x"), {}), "");
}

TEST(NearestName, FindsWithinReachOnlyWhatMayBeMeant) {
  EXPECT_EQ(of(NearestName::within_reach("tarce"), {"trace"}), "trace");  // 2 apart
  EXPECT_EQ(of(NearestName::within_reach("tarces"), {"trace"}), "");      // 3 apart
  EXPECT_EQ(of(NearestName::within_reach("np"), {"n", "ppn"}), "n");      // 1 of 2
  EXPECT_EQ(of(NearestName::within_reach("abc"), {"xyc"}), "");           // 2 of 3
  EXPECT_EQ(of(NearestName::within_reach("a"), {"b"}), "");               // 1 of 1
}

}  // namespace
}  // namespace starling
