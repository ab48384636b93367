// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/locality.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace starling::topology {
namespace {

namespace fs = std::filesystem;

/// A machine of two packages with two cores each and two hardware threads a core; an L3 cache for each package.
class FakeMachine : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("starling_machine_" + std::to_string(getpid()));
    for (unsigned thread = 0; thread < 8; ++thread) describe(thread);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }

  void describe(unsigned thread) {
    const unsigned package = thread / 4;
    const unsigned core = thread / 2 * 2;
    const fs::path cpu = root_ / "cpu" / ("cpu" + std::to_string(thread));
    const std::string siblings = std::to_string(core) + "-" + std::to_string(core + 1);
    write(cpu / "topology/physical_package_id", std::to_string(package));
    write(cpu / "topology/thread_siblings_list", siblings);
    fs::create_directories(cpu / ("node" + std::to_string(package)));
    cache(cpu / "cache/index0", 1, "Data", siblings);
    cache(cpu / "cache/index1", 1, "Instruction", "0-7");
    cache(cpu / "cache/index2", 2, "Unified", siblings);
    cache(cpu / "cache/index3", 3, "Unified", package == 0 ? "0-3" : "4-7");
  }

  void cache(const fs::path& folder, int level, const std::string& type, const std::string& threads) {
    write(folder / "level", std::to_string(level));
    write(folder / "type", type);
    write(folder / "shared_cpu_list", threads);
  }

  Locality of(std::vector<unsigned> threads) { return internal::locality_of(threads, root_.string()); }

  fs::path root_;
};

TEST_F(FakeMachine, NamesTheObjectsThatHoldOneThread) {
  const Locality locality = of({7});
  EXPECT_EQ(locality.at(Level::kPackage), 1);
  EXPECT_EQ(locality.at(Level::kNuma), 1);
  EXPECT_EQ(locality.at(Level::kL3), 4);
  EXPECT_EQ(locality.at(Level::kL2), 6);
  EXPECT_EQ(locality.at(Level::kL1), 6);
  EXPECT_EQ(locality.at(Level::kCore), 6);
  EXPECT_EQ(locality.at(Level::kThread), 7);
}

TEST_F(FakeMachine, HasNoObjectWhereTheThreadsAreSpread) {
  const Locality share = of({0, 1, 2});
  EXPECT_EQ(share.at(Level::kPackage), 0);
  EXPECT_EQ(share.at(Level::kL3), 0);
  EXPECT_EQ(share.at(Level::kCore), Locality::kNone);
  EXPECT_EQ(share.at(Level::kThread), Locality::kNone);
  EXPECT_EQ(of({0, 4}).at(Level::kPackage), Locality::kNone);
}

TEST_F(FakeMachine, KnowsNothingOfWhatTheKernelDoesNotDescribe) {
  const Locality unknown = internal::locality_of(std::vector<unsigned>{0}, (root_ / "nowhere").string());
  for (std::size_t level = 0; level + 1 < kLevels; ++level) EXPECT_EQ(unknown.object[level], Locality::kNone);
  EXPECT_EQ(of({}).at(Level::kThread), Locality::kNone);
}

TEST(Locality, OfThisProcessHoldsItsAffinityMask) {
  const Locality here = locality();
  if (here.at(Level::kCore) != Locality::kNone && here.at(Level::kL2) != Locality::kNone) {
    EXPECT_LE(here.at(Level::kL2), here.at(Level::kCore));
  }
}

TEST(Locality, ReadsLists) {
  EXPECT_EQ(internal::parse_list("0-3,8,10-11\n"), (std::vector<unsigned>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(internal::parse_list("5"), (std::vector<unsigned>{5}));
  EXPECT_TRUE(internal::parse_list("").empty());
}

TEST(Locality, LevelsHaveHwlocsNames) {
  for (std::size_t level = 0; level < kLevels; ++level) {
    EXPECT_EQ(level_named(name(static_cast<Level>(level))), static_cast<Level>(level));
  }
  EXPECT_EQ(level_named("hwloc://L3Cache"), Level::kL3);
  EXPECT_EQ(level_named("Socket"), Level::kPackage);
  EXPECT_FALSE(level_named("Blanket"));
}

}  // namespace
}  // namespace starling::topology
