// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/small_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace starling {
namespace {

TEST(WholeFile, IsReadToItsEnd) {
  std::string path = testing::TempDir() + "whole-file-XXXXXX";
  const int file = mkstemp(path.data());
  ASSERT_GE(file, 0);
  const std::string content(3 * 4096 + 1, 'x');
  ASSERT_EQ(write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  close(file);
  EXPECT_EQ(read_whole_file(path), content);
  EXPECT_EQ(read_small_file(path).size(), 4096U);
  std::remove(path.c_str());
}

TEST(WholeFile, IsEmptyWhereReadingFailsAfterOpening) {
  EXPECT_EQ(read_whole_file("/"), "");               // EISDIR
  EXPECT_EQ(read_whole_file("/proc/self/mem"), "");  // EIO: nothing lies at address 0
  EXPECT_EQ(read_whole_file("/no/such/file"), "");
}

}  // namespace
}  // namespace starling
