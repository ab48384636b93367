// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What is heard of a remote shell.
#include "launch/link/shell_process.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <vector>

namespace starling::launch {
namespace {

TEST(ShellProcess, ItsLastWordsAreHeardBeforeItsEnd) {
  // Lines of eight bytes, so that each piece that is read ends with a whole one.
  constexpr std::size_t kLines = 2048;
  EventLoop loop;
  Inherited inherited;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &inherited.files), 0);
  ShellProcess shell(loop, inherited);
  std::vector<std::string> said;
  std::size_t said_before_the_end = 0;
  const Status started = shell.start(
      {"sh", "-c", "yes 1234567 2>/dev/null | head -n 2047 >&2; echo the end >&2"},
      [&](const std::string& line) { said.push_back(line); },
      [&] {
        said_before_the_end = said.size();
        loop.stop();
      });
  ASSERT_TRUE(started.ok()) << started.message();
  EXPECT_TRUE(loop.run());
  EXPECT_EQ(said_before_the_end, kLines);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back(), "the end");
}

}  // namespace
}  // namespace starling::launch
