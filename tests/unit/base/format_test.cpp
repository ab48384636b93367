// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starling {
namespace {

TEST(Formatted, PutsArgumentsWhereTheFormatNamesThem) {
  const std::string name = "solver";
  EXPECT_EQ(formatted("rank {} of {} on '{}': {:.1f} s, {:#x}, {}", 3, 8U, name, 2.25, 255, "done"),
            "rank 3 of 8 on 'solver': 2.2 s, 0xff, done");
}

TEST(Formatted, KeepsBracesThatAreDoubled) { EXPECT_EQ(formatted("{{{}}}", -1), "{-1}"); }

}  // namespace
}  // namespace starling
