// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which task ended a process, and the memory that says what a dead process calculated.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "poison/poison_finder.hpp"
#include "poison/slate.hpp"

namespace starling::farm::poison_test {
namespace {

TEST(FarmPoison, BlamesTheOnlyOneThereAtOnce) {
  PoisonFinder finder;
  const auto finding = finder.on_death({7});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->task, 7U);
  EXPECT_EQ(finding->deaths, 1);
  EXPECT_TRUE(finder.suspected(7));
  EXPECT_FALSE(finder.on_death({}));
}

TEST(FarmPoison, BlamesASuspectForBothDeathsAndClearsTheOthers) {
  PoisonFinder finder;
  EXPECT_FALSE(finder.on_death({1, 2, 3}));
  finder.clear(1);
  EXPECT_FALSE(finder.suspected(1));
  EXPECT_TRUE(finder.suspected(3));
  const auto finding = finder.on_death({2});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->deaths, 2);
  EXPECT_FALSE(finder.suspected(3));
  EXPECT_EQ(finder.on_death({2, 3})->task, 2U);  // it has killed before
  EXPECT_FALSE(finder.suspected(3));
}

TEST(FarmPoison, KeepsASuspectOfTwoDeathsUntilBothAreClear) {
  PoisonFinder finder;
  finder.suspect({1, 2});
  EXPECT_FALSE(finder.on_death({2, 3}));
  EXPECT_EQ(finder.on_death({1})->deaths, 2);
  EXPECT_TRUE(finder.suspected(2));
  EXPECT_TRUE(finder.suspected(3));
  finder.clear(2);
  finder.clear(3);
  EXPECT_FALSE(finder.suspected(2));
}

TEST(FarmSlate, IsReadAfterItsProcessDied) {
  int names[2];
  int done[2];
  ASSERT_EQ(::pipe(names), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Slate slate(Slate::Use::kShown);
    const SlateName name = slate.name();
    slate.slot(0)->store(5 + 1);
    slate.slot(1)->store(0);
    slate.slot(2)->store(9 + 1);
    char ready = 0;
    if (::write(names[1], &name, sizeof name) != sizeof name || ::read(done[0], &ready, 1) != 1) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  SlateName name;
  ASSERT_EQ(::read(names[0], &name, sizeof name), static_cast<ssize_t>(sizeof name));
  const OtherSlate slate(name);
  SlateName wrong = name;
  ++wrong.token;
  EXPECT_FALSE(OtherSlate(wrong).read());
  wrong = name;
  wrong.file = 0;
  EXPECT_FALSE(OtherSlate(wrong).read());
  ASSERT_EQ(::write(done[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(slate.read(), (std::vector<std::uint64_t>{5, 9}));
  for (const int end : {names[0], names[1], done[0], done[1]}) ::close(end);
}

TEST(FarmSlate, KnowsNothingWithMoreThreadsThanSlots) {
  Slate slate(Slate::Use::kShown);
  const OtherSlate same(slate.name());
  EXPECT_EQ(same.read(), std::vector<std::uint64_t>{});
  EXPECT_EQ(slate.slot(SlateMemory::kSlots), nullptr);
  EXPECT_FALSE(same.read());
  EXPECT_FALSE(OtherSlate(Slate(Slate::Use::kNone).name()).read());
}

}  // namespace
}  // namespace starling::farm::poison_test
