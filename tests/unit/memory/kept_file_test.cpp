// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/kept_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "memory/job_segment.hpp"
#include "memory/region.hpp"

namespace starling::memory {
namespace {

int unnamed() { return memfd_create("kept-file-test", MFD_CLOEXEC); }

/// What daemons do to a descriptor that is not theirs; then a file of the user's has its number.
void become_the_users(int descriptor, int users_file) { ASSERT_EQ(dup2(users_file, descriptor), descriptor); }

off_t size_of(int descriptor) {
  struct stat file {};
  return fstat(descriptor, &file) == 0 ? file.st_size : -1;
}

/// A segment whose number has come to mean a file of the user's.
struct Robbed {
  std::unique_ptr<JobSegment> segment;
  int users_file = unnamed();

  Robbed() {
    JobGeometry geometry;
    geometry.connection_bytes = kBytes;
    geometry.arena_bytes = kBytes;
    segment = std::move(JobSegment::create(geometry)).value();
    become_the_users(segment->descriptor(), users_file);
  }
  ~Robbed() { close(users_file); }

  static constexpr std::uint64_t kBytes = 64 * 1024;
};

TEST(KeptFile, KnowsWhenItsNumberMeansAnotherFile) {
  const int number = unnamed();
  const int other = unnamed();
  KeptFile file(number);
  EXPECT_TRUE(file.is_ours());
  become_the_users(number, other);
  EXPECT_FALSE(file.is_ours());
  EXPECT_NE(file.what_became_of_it().find("another file"), std::string::npos);
  close(number);
  EXPECT_NE(file.what_became_of_it().find("is closed"), std::string::npos);
  close(other);
}

TEST(KeptFile, ClosesNothingButItsOwn) {
  const int number = unnamed();
  const int other = unnamed();
  { const KeptFile file(number); }
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  {
    const int again = unnamed();
    ASSERT_EQ(again, number);
    const KeptFile file(again);
    become_the_users(again, other);
  }
  EXPECT_NE(fcntl(number, F_GETFD), -1);
  close(number);
  close(other);
}

TEST(KeptFile, TakesOnlyAnotherDescriptorOfTheSameFile) {
  const int number = unnamed();
  const int same = dup(number);
  const int other = unnamed();
  KeptFile file(number);
  EXPECT_FALSE(file.replace(other));
  become_the_users(number, other);
  EXPECT_TRUE(file.replace(same));
  EXPECT_EQ(file.number(), same);
  EXPECT_TRUE(file.is_ours());
  close(number);
  close(other);
}

TEST(JobSegment, GrowsNoFileOfTheUsers) {
  const Robbed robbed;
  JobSegment& segment = *robbed.segment;
  // Memory that is mapped already needs no descriptor; where the kernel is too old for that, it is an error.
  const Status real = segment.commit(segment.connection(LocalRank(0), LocalRank(0)));
  EXPECT_TRUE(real.ok() || real.message().find("closed descriptors") != std::string::npos) << real.message();
  const auto region = Region::create(segment, 1 << 20);
  ASSERT_FALSE(region.ok());
  EXPECT_NE(region.status().message().find("has become another file"), std::string::npos) << region.status().message();
  EXPECT_EQ(size_of(robbed.users_file), 0);
}

TEST(JobSegment, ClosesNoFileOfTheUsers) {
  int number = -1;
  {
    Robbed robbed;
    number = robbed.segment->descriptor();
    robbed.segment.reset();
    EXPECT_NE(fcntl(number, F_GETFD), -1);
  }
  close(number);
}

TEST(JobSegment, OpensTheLaunchersDescriptorInThePlaceOfALostOne) {
  JobGeometry geometry;
  geometry.connection_bytes = geometry.arena_bytes = Robbed::kBytes;
  auto segment = std::move(JobSegment::create(geometry)).value();
  const pid_t launcher = fork();
  if (launcher == 0) {  // it has the segment open under the same number, as mpiexec has
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  segment->header().launcher_pid = launcher;
  const int users_file = unnamed();
  const int lost = segment->descriptor();
  become_the_users(lost, users_file);
  EXPECT_TRUE(Region::create(*segment, 1 << 20).ok());
  EXPECT_NE(segment->descriptor(), lost);
  EXPECT_EQ(size_of(users_file), 0);
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  close(lost);
  close(users_file);
}

}  // namespace
}  // namespace starling::memory
