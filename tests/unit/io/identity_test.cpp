// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "io/disk/posix_file.hpp"

namespace starling::io {
namespace {

std::shared_ptr<PosixFile> opened(const std::string& path, int flags) {
  auto file = PosixFile::open(path, flags, 0600);
  EXPECT_TRUE(file.ok()) << file.status().message();
  return file.ok() ? std::move(file).value() : nullptr;
}

class FileIdentity : public ::testing::Test {
 protected:
  void TearDown() override {
    unlink(path_.c_str());
    unlink((path_ + "b").c_str());
  }
  std::string path_ = ::testing::TempDir() + "starling_identity_test_" + std::to_string(getpid());
};

TEST_F(FileIdentity, IsThatOfTheFileAndNotOfTheOpening) {
  const auto first = opened(path_, O_CREAT | O_RDWR);
  const auto again = opened(path_, O_RDONLY);
  ASSERT_TRUE(first && again);
  ASSERT_NE(first->identity().comparable, 0);
  EXPECT_TRUE(first->identity().may_be(again->identity()));
  char byte = 1;
  const FilePiece piece{100, reinterpret_cast<std::byte*>(&byte), 1};
  EXPECT_TRUE(first->move(Direction::kWrite, {&piece, 1}).ok());
  EXPECT_TRUE(first->identity().may_be(again->identity())) << "writing has changed it";
}

TEST_F(FileIdentity, DiffersBetweenFiles) {
  const auto one = opened(path_, O_CREAT | O_RDWR);
  const auto other = opened(path_ + "b", O_CREAT | O_RDWR);
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->identity().may_be(other->identity()));
  EXPECT_EQ(one->identity().local_system, other->identity().local_system);
}

TEST(FileIdentityRules, NumbersAloneDoNotMakeTwoFilesTheSame) {
  const PosixFile::Identity one{7, 3, 1000, 5, 1};
  EXPECT_TRUE(one.may_be({7, 3, 1000, 5, 1}));
  EXPECT_FALSE(one.may_be({7, 3, 1000, 6, 1})) << "made at another time";
  EXPECT_FALSE(one.may_be({8, 3, 1000, 5, 1}));
  EXPECT_FALSE(one.may_be({7, 4, 1000, 5, 1})) << "on another disk";
  EXPECT_TRUE(one.may_be({7, 0, 1000, 5, 1})) << "the disk may be exported";
  EXPECT_TRUE(one.may_be({7, 3, 0, 0, 1})) << "no time is known";
  EXPECT_TRUE(one.may_be({8, 4, 1, 2, 0})) << "not comparable";
}

TEST(FileIdentityRules, DevicesAreNotCompared) {
  const auto device = opened("/dev/full", O_WRONLY);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->identity().comparable, 0);
}

}  // namespace
}  // namespace starling::io
