// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <thread>

#include "base/futex.hpp"
#include "bootstrap/crash/crash_handlers.hpp"
#include "bootstrap/crash/exception_text.hpp"
#include "support/sanitized.hpp"

namespace starling::bootstrap {
namespace {

using memory::CrashRecord;

/// A rank in a child process over a segment that this process reads, as the launcher does.
class CrashTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kUnderSanitizer) GTEST_SKIP() << "the sanitizer handles these signals";
    segment_ = memory::JobSegment::create({}).value();
  }

  CrashRecord& record() { return segment_->rank(LocalRank(0)).crash; }

  /// Runs body with handlers in a child, answers its last words at once, and returns its wait status.
  int die(const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit no_core{0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      Job job;
      job.segment = memory::JobSegment::attach(dup(segment_->descriptor())).value();
      job.launched = true;
      const CrashHandlers handlers(job);
      body();
      _exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (record().state == CrashRecord::kWritten) {
        record().state = CrashRecord::kSeen;
        futex_wake(record().state, 1);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return status;
  }

  std::unique_ptr<memory::JobSegment> segment_;
};

TEST_F(CrashTest, AFaultLeavesSignalAddressAndStackAndStillKills) {
  volatile std::uintptr_t nowhere = 0x18;  // volatile: the compiler shall not see through it
  const int status = die([&] { *reinterpret_cast<volatile int*>(nowhere) = 1; });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
  EXPECT_EQ(record().signal, SIGSEGV);
  EXPECT_EQ(record().fault_address, 0x18u);
  EXPECT_GT(record().frame_count, 2u);
}

TEST_F(CrashTest, ASignalThatWasSentKillsAsThatSignal) {
  const int status = die([] { raise(SIGFPE); });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGFPE);
  EXPECT_EQ(record().signal, SIGFPE);
}

TEST_F(CrashTest, AnUncaughtExceptionLeavesItsTypeAndText) {
  const int status = die([] {
    // GoogleTest would catch the exception on this stack.
    std::thread([] { throw std::out_of_range("row 7 of 5"); }).join();
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  EXPECT_STREQ(record().what, "std::out_of_range: row 7 of 5");
}

TEST_F(CrashTest, ASignalThatTheProgramHandlesIsLeftAlone) {
  const int status = die([] {});
  EXPECT_TRUE(WIFEXITED(status));
  const int handled = die([] {
    std::signal(SIGFPE, [](int) { _exit(7); });
    raise(SIGFPE);
  });
  EXPECT_EQ(WEXITSTATUS(handled), 7);
  EXPECT_EQ(record().state.load(), CrashRecord::kNone);
}

TEST_F(CrashTest, AChildOfTheRankThatCrashesLeavesNoWords) {
  die([] {
    const pid_t grandchild = fork();
    if (grandchild == 0) raise(SIGSEGV);
    waitpid(grandchild, nullptr, 0);
  });
  EXPECT_EQ(record().state.load(), CrashRecord::kNone);
}

TEST_F(CrashTest, HandlersGoWithTheirOwner) {
  Job job;
  job.segment = memory::JobSegment::attach(dup(segment_->descriptor())).value();
  struct sigaction action {};
  {
    const CrashHandlers first(job);
    const CrashHandlers second(job);
    sigaction(SIGBUS, nullptr, &action);
    EXPECT_TRUE(action.sa_flags & SA_SIGINFO);
  }
  sigaction(SIGBUS, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST(ExceptionText, IsTheTypeAloneForWhatIsNoStandardException) {
  const ExceptionProbe probe = ExceptionProbe::find();
  char text[100] = {};
  EXPECT_FALSE(probe.describe(text));
  try {
    throw 5;
  } catch (...) {
    EXPECT_TRUE(probe.describe(text));
    EXPECT_STREQ(text, "int");
  }
}

}  // namespace
}  // namespace starling::bootstrap
