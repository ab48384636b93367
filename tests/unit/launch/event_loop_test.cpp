// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/events/event_loop.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ctime>
#include <string>

namespace starling::launch {
namespace {

struct Ends {
  Ends() {
    int pair[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    one = Descriptor(pair[0]);
    other = Descriptor(pair[1]);
  }
  Descriptor one;
  Descriptor other;
};

TEST(EventLoop, CallsWhoeverWaitsForWhatIsReady) {
  EventLoop loop;
  Ends ends;
  int reads = 0;
  ASSERT_TRUE(loop.on_readable(ends.one.get(), [&] {
    char byte = 0;
    reads += static_cast<int>(read(ends.one.get(), &byte, 1));
    loop.stop();
  }));
  ASSERT_EQ(write(ends.other.get(), "x", 1), 1);
  EXPECT_TRUE(loop.run());
  EXPECT_EQ(reads, 1);
}

TEST(EventLoop, DoesNotWaitForWhatIsAlwaysReady) {
  EventLoop loop;
  const Descriptor file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(loop.on_writable(file.get(), [] {}));
  EXPECT_FALSE(loop.on_writable(nothing.get(), [] {}));
}

TEST(EventLoop, ServesTimersInTheirOrder) {
  EventLoop loop;
  std::string order;
  loop.after(3'000'000, [&] {
    order += 'b';
    loop.stop();
  });
  loop.after(1'000'000, [&] { order += 'a'; });
  EXPECT_TRUE(loop.run());
  EXPECT_EQ(order, "ab");
}

TEST(EventLoop, ADescriptorThatWasClosedBeforeItWasRemovedTakesNoTime) {
  EventLoop loop;
  Ends ends;
  Ends served;
  Descriptor copy(dup(ends.one.get()));
  const int number = copy.get();
  int calls = 0;
  ASSERT_TRUE(loop.on_readable(number, [&] { ++calls; }));
  int reads = 0;
  ASSERT_TRUE(loop.on_readable(served.one.get(), [&] {
    char byte = 0;
    reads += static_cast<int>(read(served.one.get(), &byte, 1));
  }));
  copy.reset();
  loop.remove(number);
  ASSERT_EQ(write(ends.other.get(), "x", 1), 1);
  ASSERT_EQ(write(served.other.get(), "x", 1), 1);
  timespec before{};
  timespec after{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
  loop.after(300'000'000, [&] { loop.stop(); });
  EXPECT_TRUE(loop.run());
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
  const auto used_ns = (after.tv_sec - before.tv_sec) * 1'000'000'000 + (after.tv_nsec - before.tv_nsec);
  EXPECT_LT(used_ns, 20'000'000);
  EXPECT_EQ(reads, 1) << "the others are served";
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace starling::launch
