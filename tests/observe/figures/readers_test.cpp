// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What reads /proc and the like, on folders made for the purpose, and on this process.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "base/format.hpp"
#include "observe/job/host_reader.hpp"
#include "observe/job/job_sampler.hpp"
#include "observe/job/process_reader.hpp"
#include "observe/job/process_state.hpp"

namespace starling::observe {
namespace {

/// A folder in place of "/".
class Root {
 public:
  Root() {
    std::string name = std::filesystem::temp_directory_path() / "starling-root-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Root() { std::filesystem::remove_all(folder_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_ + path).parent_path());
    std::ofstream(folder_ + path) << text;
  }
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

 private:
  std::string folder_;
};

TEST(ProcessReader, ReadsBehindAnyName) {
  const Root root;
  root.write("/proc/7/stat",
             "7 (a) R 1 (b) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 1000 999 300 18446744073709551615 "
             "1 1 0 0 0 0 0 0 0 0 0 0 17 6 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  const std::optional<ProcessReading> reading = read_process(7, root.folder() + "/proc");
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->cpu_ns, 300 * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(reading->processor, 6);
  EXPECT_EQ(reading->resident_bytes, 300u * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_FALSE(read_process(8, root.folder() + "/proc"));
}

TEST(ProcessReader, SeesThisProcessUseTime) {
  const std::optional<ProcessReading> before = read_process(getpid());
  ASSERT_TRUE(before);
  EXPECT_GT(before->resident_bytes, 100'000u);
  EXPECT_GE(before->processor, 0);
  for (std::int64_t cpu = before->cpu_ns; cpu == before->cpu_ns;) cpu = read_process(getpid())->cpu_ns;
}

TEST(ProcessState, KnowsAProcessThatIsEndingBeforeItsParentReapsIt) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT_FALSE(is_ending(child));
  kill(child, SIGKILL);
  siginfo_t how{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &how, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(is_ending(child));
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(is_ending(child));
}

TEST(ProcessState, AProcessWithoutItsMainThreadIsNotEnding) {
  const pid_t child = fork();
  if (child == 0) {
    std::thread([] {
      for (;;) pause();
    }).detach();
    syscall(SYS_exit, 0);  // this thread only
  }
  const std::string main_thread = formatted("/proc/{}/task/{}/stat", child, child);
  for (std::string text; text.find(") Z") == std::string::npos;) std::getline(std::ifstream(main_thread), text);
  EXPECT_FALSE(is_ending(child));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
}

TEST(HostReader, ReadsThrottlingOfVersion2AndOfTheGroupsAbove) {
  const Root root;
  root.write("/proc/7/cgroup", "0::/jobs/mine\n");
  root.write("/sys/fs/cgroup/jobs/mine/cpu.stat", "usage_usec 5\nnr_periods 40\nnr_throttled 12\nthrottled_usec 7\n");
  root.write("/sys/fs/cgroup/jobs/mine/cpu.max", "250000 100000\n");
  root.write("/sys/fs/cgroup/jobs/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 0\nthrottled_usec 0\n");
  root.write("/sys/fs/cgroup/jobs/cpu.max", "max 100000\n");
  const std::vector<GroupReading> groups = read_groups(7, root.folder());
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].folder, root.folder() + "/sys/fs/cgroup/jobs/mine");
  EXPECT_EQ(groups[0].periods, 40u);
  EXPECT_EQ(groups[0].throttled, 12u);
  EXPECT_DOUBLE_EQ(*groups[0].cores, 2.5);
  EXPECT_FALSE(groups[1].cores);
}

TEST(HostReader, ReadsThrottlingOfVersion1) {
  const Root root;
  root.write("/proc/7/cgroup", "5:memory:/x\n2:cpu,cpuacct:/mine\n0::/\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/mine/cpu.stat", "nr_periods 40\nnr_throttled 12\nthrottled_time 7\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/mine/cpu.cfs_quota_us", "50000\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/mine/cpu.cfs_period_us", "100000\n");
  const std::vector<GroupReading> groups = read_groups(7, root.folder());
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].throttled, 12u);
  EXPECT_DOUBLE_EQ(*groups[0].cores, 0.5);
}

TEST(HostReader, ReadsMemoryThreadsAndSockets) {
  const Root root;
  root.write("/proc/vmstat", "nr_free_pages 1\npswpin 42\npswpout 3\ncompact_stall 17\ncompact_stall_x 99\n");
  root.write("/proc/7/status", "Name:\tx\nVmSwap:\t    2048 kB\nCpus_allowed_list:\t0-3,8\n");
  root.write("/proc/7/task/7/stat", "7 (x) R 1\n");
  root.write("/proc/7/task/8/stat", "8 (x) S 1\n");
  root.write("/proc/7/task/9/stat", "9 (y) R) R 1\n");
  root.write("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  root.write("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  root.write("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "1\n");
  EXPECT_EQ(read_vm(root.folder()).swap_ins, 42u);
  EXPECT_EQ(read_vm(root.folder()).compaction_stalls, 17u);
  EXPECT_EQ(swapped_bytes(7, root.folder()), 2048u * 1024);
  EXPECT_EQ(allowed_processors(7, root.folder()), 5u);
  EXPECT_EQ(running_threads(7, root.folder()), 2u);
  EXPECT_EQ(read_huge_pages(root.folder()), "always");
  EXPECT_EQ(socket_of_processors(root.folder()), (std::vector{0, 1}));
}

TEST(HostReader, SurvivesAMachineThatTellsNothing) {
  const Root root;
  EXPECT_TRUE(read_groups(7, root.folder()).empty());
  EXPECT_EQ(read_vm(root.folder()).swap_ins, 0u);
  EXPECT_EQ(running_threads(7, root.folder()), 0u);
  EXPECT_EQ(read_huge_pages(root.folder()), "");
  EXPECT_TRUE(socket_of_processors(root.folder()).empty());
}

/// A segment of two ranks, of which the first is this process.
class SampledSegment {
 public:
  SampledSegment() {
    memory::JobGeometry geometry;
    geometry.ranks = geometry.world_ranks = 2;
    segment = memory::JobSegment::create(geometry).value();
    memory::RankBlock& block = first();
    block.state = memory::RankState::kInitialized;
    block.pid = getpid();
  }
  [[nodiscard]] memory::RankBlock& first() const { return segment->rank(LocalRank(0)); }

  std::unique_ptr<memory::JobSegment> segment;
};

TEST(JobSampler, CountsTheLooksThatFindARankInACall) {
  const SampledSegment job;
  JobSampler sampler(*job.segment);
  sampler.read();
  for (int i = 0; i < 8; ++i) {
    job.first().card.call = i < 2 ? 5 : 0;
    sampler.look();
  }
  job.first().card.calls = 20;
  job.segment->traffic().count(LocalRank(0), WorldRank(1)).add(100);
  job.segment->traffic().count(LocalRank(0), WorldRank(0)).add(11);
  sampler.read();
  const RankFigures figures = sampler.figures()[0];
  EXPECT_DOUBLE_EQ(*figures.mpi_share, 0.25);
  EXPECT_GT(figures.calls_per_s, 0);
  EXPECT_NEAR(figures.messages_per_s / figures.calls_per_s, 2.0 / 20, 1e-9);
  EXPECT_NEAR(figures.bytes_per_s / figures.calls_per_s, 111.0 / 20, 1e-9);
  EXPECT_GT(*figures.resident_bytes, 0u);
  EXPECT_FALSE(sampler.figures()[1].mpi_share) << "it has not come yet";
}

TEST(JobSampler, ForgetsTheLooksBeforeItsWindow) {
  const SampledSegment job;
  JobSampler sampler(*job.segment, 2);
  job.first().card.call = 5;
  sampler.look();
  sampler.read();
  job.first().card.call = 0;
  for (int i = 0; i < 2; ++i) {
    sampler.look();
    sampler.read();
  }
  EXPECT_DOUBLE_EQ(*sampler.figures()[0].mpi_share, 0);
}

TEST(JobSampler, KnowsSinceWhenOnlyIfItHasSeenARankCome) {
  const SampledSegment job;
  JobSampler sampler(*job.segment);
  sampler.look();
  EXPECT_TRUE(sampler.since()[0]->at_least);
  job.first().card.calls = 1;
  sampler.look();
  EXPECT_FALSE(sampler.since()[0]->at_least);
  EXPECT_GE(sampler.since()[0]->ns, 0);
  EXPECT_FALSE(sampler.since()[1]);
}

}  // namespace
}  // namespace starling::observe
