// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// On which communicators files are opened.
#include "io/file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "io/settings/amode.hpp"
#include "transport/shm/geometry.hpp"

namespace {
int flushes = 0;
}

/// In place of the system's, which cannot be asked what it did.
extern "C" int fsync(int descriptor) {
  ++flushes;
  return fdatasync(descriptor);
}

namespace starling::io {
namespace {

/// The world of a job of one rank; null, and a failure, where it cannot be made.
std::unique_ptr<world::World> make_world(config::Store config) {
  auto segment = memory::JobSegment::create(transport::shm::geometry(1, {}));
  EXPECT_TRUE(segment.ok()) << segment.status().message();
  if (!segment.ok()) return nullptr;
  bootstrap::Job job;
  job.segment = std::move(segment).value();
  job.placement = std::make_shared<const memory::Placement>(memory::Placement::one_node(1, 1));
  auto world = world::World::create(std::move(job), std::move(config));
  EXPECT_TRUE(world.ok()) << world.status().message();
  return world.ok() ? std::move(world).value() : nullptr;
}

class FileOpening : public ::testing::Test {
 protected:
  void SetUp() override {
    world_ = make_world({});
    ASSERT_TRUE(world_);
    runner_ = std::make_unique<OperationRunner>(*world_);
    path_ = ::testing::TempDir() + "starling_file_test_" + std::to_string(getpid());
  }
  void TearDown() override {
    runner_.reset();
    if (world_) {
      EXPECT_TRUE(world_->finalize().ok());
    }
    unlink(path_.c_str());
  }
  Result<Ref<File>> open(comm::Communicator& comm) {
    return File::open(*runner_, comm, path_, kCreate | kReadWrite, {});
  }

  std::unique_ptr<world::World> world_;
  std::unique_ptr<OperationRunner> runner_;
  std::string path_;
};

TEST_F(FileOpening, GivesASharedPointer) {
  auto file = open(*world_->comm_self());
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file.value()->position_shared().ok());
  EXPECT_TRUE(file.value()->close().ok());
}

TEST(FileClosing, WaitsForTheDeviceWhereTheSettingSaysSo) {
  for (const bool wanted : {true, false}) {
    config::Store config;
    ASSERT_TRUE(config.set("IO_SYNC_ON_CLOSE", wanted ? "1" : "0").ok());
    const auto world = make_world(std::move(config));
    ASSERT_TRUE(world);
    const std::string path = ::testing::TempDir() + "starling_sync_test_" + std::to_string(getpid());
    {
      OperationRunner runner(*world);
      auto file = File::open(runner, *world->comm_self(), path, kCreate | kReadWrite, {});
      ASSERT_TRUE(file.ok()) << file.status().message();
      char text[] = "four";
      std::int64_t bytes = 0;
      const Access write{Direction::kWrite,
                         Pointer::kExplicit,
                         Ranks::kAlone,
                         0,
                         text,
                         4,
                         &datatype::predefined(datatype::Basic::kByte)};
      ASSERT_TRUE(file.value()->access(write, &bytes).ok());
      ASSERT_EQ(bytes, 4);
      const int before = flushes;
      EXPECT_TRUE(file.value()->close().ok());
      EXPECT_EQ(flushes - before, wanted ? 1 : 0);
    }
    EXPECT_TRUE(world->finalize().ok());
    unlink(path.c_str());
  }
}

TEST(OperationRunner, GivesAThreadToAccessesOfMoreBytesThanTheSetting) {
  config::Store config;
  ASSERT_TRUE(config.set("IO_INLINE", "100").ok());
  const auto world = make_world(std::move(config));
  ASSERT_TRUE(world);
  {
    const OperationRunner runner(*world);
    EXPECT_TRUE(runner.is_small(100));
    EXPECT_FALSE(runner.is_small(101));
  }
  EXPECT_TRUE(world->finalize().ok());
}

}  // namespace
}  // namespace starling::io
