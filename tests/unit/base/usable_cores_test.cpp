// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/usable_cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace starling {
namespace {

namespace fs = std::filesystem;

/// A copy of /proc/self/cgroup and /sys/fs/cgroup to the test's liking.
class FakeCgroups : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("starling_cgroups_" + std::to_string(getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  CoreLimits limits() { return internal::quota_limits((root_ / "membership").string(), root_.string()); }

  fs::path root_;
};

TEST(UsableCores, AreAtLeastOneAndAtMostTheAffinityMask) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_GE(usable_cores(), 1u);
  EXPECT_LE(usable_cores(), static_cast<std::uint32_t>(CPU_COUNT(&mask)));
}

TEST(UsableCores, FollowTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1u);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(UsableCores, RoundAQuotaDownButNeverToNothing) {
  CoreLimits limits;
  limits.affinity = 8;
  limits.quota_cores = 2.9;
  EXPECT_EQ(limits.usable(), 2u);
  limits.quota_cores = 0.5;
  EXPECT_EQ(limits.usable(), 1u);
  limits.quota_cores = 64;
  EXPECT_EQ(limits.usable(), 8u);
}

TEST(UsableCores, CountAPartOfACoreForThreadsThatCalculate) {
  CoreLimits limits;
  limits.affinity = 8;
  limits.quota_cores = 2.1;
  EXPECT_EQ(limits.usable(PartialCore::kOne), 3u);
  limits.quota_cores = 2;
  EXPECT_EQ(limits.usable(PartialCore::kOne), 2u);
  limits.quota_cores = 7.5;
  EXPECT_EQ(limits.usable(PartialCore::kOne), 8u);
}

TEST(CpuMax, IsQuotaOverPeriod) {
  EXPECT_EQ(internal::parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(internal::parse_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(internal::parse_cpu_max(""), std::nullopt);
  EXPECT_EQ(internal::parse_cpu_max("5000"), std::nullopt);
  EXPECT_EQ(internal::parse_cpu_max("5000 0"), std::nullopt);
}

TEST_F(FakeCgroups, NoLimitAnywhereMeansNoQuota) {
  write("membership", "0::/user/session\n");
  write("user/session/cpu.max", "max 100000\n");
  EXPECT_EQ(limits().quota_cores, std::nullopt);
}

TEST_F(FakeCgroups, TheTightestAncestorCounts) {
  write("membership", "0::/outer/middle/inner\n");
  write("outer/cpu.max", "300000 100000\n");
  write("outer/middle/cpu.max", "200000 100000\n");
  write("outer/middle/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(limits().quota_cores, 2.0);
  EXPECT_NE(limits().quota_file.find("outer/middle/cpu.max"), std::string::npos);
}

TEST_F(FakeCgroups, InsideAContainerTheRootOfTheTreeCounts) {
  write("membership", "0::/docker/0123456789\n");
  write("cpu.max", "400000 100000\n");
  EXPECT_EQ(limits().quota_cores, 4.0);
}

TEST_F(FakeCgroups, Version1KeepsQuotaAndPeriodInTwoFiles) {
  write("membership", "5:memory:/m\n4:cpu,cpuacct:/group\n");
  write("cpu/group/cpu.cfs_quota_us", "250000\n");
  write("cpu/group/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits().quota_cores, 2.5);
}

TEST_F(FakeCgroups, Version1WithoutLimitSaysMinusOne) {
  write("membership", "4:cpu,cpuacct:/\n");
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(limits().quota_cores, std::nullopt);
}

TEST_F(FakeCgroups, NonsenseIsNoLimit) {
  write("membership", "nonsense\n0::\n:::\n");
  EXPECT_EQ(limits().quota_cores, std::nullopt);
}

}  // namespace
}  // namespace starling
