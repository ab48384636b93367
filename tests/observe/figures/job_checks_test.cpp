// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Each check on evidence that it is for, and all of them on a healthy job.
#include "observe/figures/job_checks.hpp"

#include <gtest/gtest.h>

namespace starling::observe {
namespace {

/// Four ranks that compute most of the time, on eight cores.
JobEvidence healthy() {
  JobEvidence job;
  job.seconds = 3;
  job.snapshots = 100;
  job.snapshots_with_waits = 40;
  job.hosts.push_back({"a", 8, 2, 0, 0, "madvise", {{"/sys/fs/cgroup/x", 30, 0, 8.0}}, false});
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    RankEvidence each;
    each.rank = rank;
    each.running_threads = 1;
    each.figures.mpi_share = 0.2;
    each.figures.messages_per_s = 2000;
    each.figures.bytes_per_s = 2e7;
    each.awaited_alone = 10;
    job.ranks.push_back(each);
  }
  return job;
}

std::string said_of(const JobEvidence& job) {
  std::string text;
  for (const JobFinding& finding : check_job(job)) {
    EXPECT_FALSE(finding.advice.empty());
    text += (text.empty() ? "" : "; ") + std::string(finding.check) + ": " + finding.text;
  }
  return text;
}

TEST(JobChecks, SayNothingOfAHealthyJob) { EXPECT_EQ(said_of(healthy()), ""); }

TEST(JobChecks, SayNothingOfAJobThatWasNotSeen) { EXPECT_EQ(said_of({}), ""); }

TEST(JobChecks, NameThreadsBeyondTheCores) {
  JobEvidence job = healthy();
  for (RankEvidence& rank : job.ranks) rank.running_threads = 4;
  EXPECT_EQ(said_of(job), "threads: the 4 ranks run 16.0 threads at once, 4.0 each, on 8 cores");
  EXPECT_EQ(check_job(job).front().advice, "Set OMP_NUM_THREADS=2, or start fewer ranks.");
  job.hosts[0].cores = 2;
  EXPECT_EQ(check_job(job).front().advice, "Set OMP_NUM_THREADS=1 and start fewer ranks.");
  for (RankEvidence& rank : job.ranks) rank.running_threads = 1;
  EXPECT_EQ(check_job(job).front().advice, "Start at most 2 ranks there.");
}

TEST(JobChecks, NameAControlGroupThatIsThrottled) {
  JobEvidence job = healthy();
  job.hosts[0].groups[0] = {"/sys/fs/cgroup/x", 30, 12, 2.5};
  EXPECT_EQ(
      said_of(job),
      "throttling: the control group /sys/fs/cgroup/x, which allows 2.50 cores, has stopped its processes in 40 % "
      "of its periods");
}

TEST(JobChecks, NameRanksInSwap) {
  JobEvidence job = healthy();
  job.ranks[1].swapped_bytes = 300'000'000;
  job.ranks[2].swapped_bytes = 100'000'000;
  EXPECT_EQ(said_of(job), "swap: ranks 1 and 2 have memory in swap, up to 300M bytes each");
  job.hosts[0].swap_ins_per_s = 1000;
  EXPECT_NE(said_of(job).find("and pages are being read back"), std::string::npos);
}

TEST(JobChecks, NameRanksThatMoveBetweenSockets) {
  JobEvidence job = healthy();
  job.ranks[3].sockets_seen = 2;
  EXPECT_EQ(said_of(job), "binding: rank 3 has moved from one socket to another");
}

TEST(JobChecks, NameRanksThatMoveThoughEachCouldHaveACore) {
  JobEvidence job = healthy();
  for (const std::size_t rank : {1u, 2u}) {
    job.ranks[rank].allowed = 8;
    job.ranks[rank].moves_per_s = 0.5;
  }
  EXPECT_EQ(said_of(job), "") << "it matters little";
  job.ranks[1].moves_per_s = 2;
  job.ranks[2].moves_per_s = 4;
  EXPECT_EQ(said_of(job),
            "binding: ranks 1 and 2 are not bound, and move from core to core up to 4 times a second, though there is "
            "a core for each");
  EXPECT_NE(check_job(job).front().advice.find("mpiexec --bind-to core"), std::string::npos);
  job.ranks[1].running_threads = 2;
  job.ranks[2].allowed = 2;
  EXPECT_EQ(said_of(job), "") << "one needs several cores, the other has a place of its own";
  job.ranks[2].allowed = 8;
  EXPECT_EQ(said_of(job),
            "binding: rank 2 is not bound, and moves from core to core up to 4 times a second, though there is a core "
            "for each");
  job.hosts[0].cores = 3;
  for (RankEvidence& rank : job.ranks) rank.running_threads = 0.5;
  EXPECT_EQ(said_of(job), "") << "there are more ranks than cores";
}

TEST(JobChecks, NameTheRankThatIsAlwaysLast) {
  JobEvidence job = healthy();
  job.ranks[2].awaited_alone = 36;
  job.ranks[2].figures.mpi_share = 0.01;
  EXPECT_EQ(said_of(job),
            "late rank: rank 2 is the one that others wait for, in 36 of 40 looks; it is in MPI for 1 % of its time");
  job.snapshots_with_waits = 3;
  job.ranks[2].awaited_alone = 3;
  EXPECT_EQ(said_of(job), "") << "too few to say anything";
}

TEST(JobChecks, NameASlowHost) {
  JobEvidence job = healthy();
  job.hosts.push_back(job.hosts[0]);
  job.hosts[1].name = "b";
  for (const std::size_t rank : {2u, 3u}) job.ranks[rank].host = 1;
  EXPECT_EQ(said_of(job), "");
  job.ranks[0].figures.mpi_share = 0.6;
  job.ranks[1].figures.mpi_share = 0.5;
  job.ranks[2].figures.mpi_share = 0.02;
  job.ranks[3].figures.mpi_share = 0.04;
  EXPECT_EQ(said_of(job),
            "slow host: the ranks on host b are in MPI for 3 % of their time, those on every other host for 55 % or "
            "more: they wait for that host");
}

TEST(JobChecks, NameLoopsOfTests) {
  JobEvidence job = healthy();
  job.ranks[1].test_share = 0.9;
  job.ranks[1].tests_with = "MPI_Testany";
  EXPECT_EQ(said_of(job), "test loops: rank 1 calls MPI_Testany again and again, and finds nothing");
}

TEST(JobChecks, NameManySmallMessages) {
  JobEvidence job = healthy();
  job.ranks[0].figures.messages_per_s = 200'000;
  job.ranks[0].figures.bytes_per_s = 200'000 * 24;
  EXPECT_EQ(said_of(job), "") << "they cost little of the time";
  job.ranks[0].figures.mpi_share = 0.7;
  EXPECT_EQ(said_of(job),
            "small messages: rank 0 sends up to 200k messages a second, of 24 bytes or less on the average");
}

TEST(JobChecks, NameSmallMessagesOfARankThatHasLittleOfACore) {
  JobEvidence job = healthy();
  job.ranks[0].figures.mpi_share = 0.9;
  job.ranks[0].figures.messages_per_s = 20'000;
  job.ranks[0].figures.bytes_per_s = 20'000 * 8;
  EXPECT_EQ(said_of(job), "");
  job.ranks[0].figures.cores = 0.02;
  EXPECT_EQ(said_of(job),
            "small messages: rank 0 sends up to 20k messages a second, of 8 bytes or less on the average");
}

TEST(JobChecks, NameStallsForHugePages) {
  JobEvidence job = healthy();
  job.hosts[0].compaction_stalls_per_s = 120;
  job.hosts[0].huge_pages = "always";
  EXPECT_EQ(said_of(job),
            "huge pages: processes have been stopped 120 times a second until memory for huge pages was made "
            "(transparent huge pages: always)");
}

}  // namespace
}  // namespace starling::observe
