// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Descendants that are hard to end. Each test has them below a process of its own, for all of a process's are ended.
#include "launch/events/descendants.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "base/descriptor.hpp"

namespace starling::launch {
namespace {

struct Channel {
  Channel() {
    int pair[2] = {-1, -1};
    EXPECT_EQ(pipe2(pair, O_CLOEXEC), 0);
    reading = Descriptor(pair[0]);
    writing = Descriptor(pair[1]);
  }
  template <typename Value>
  void put(const Value& value) const {
    if (write(writing.get(), &value, sizeof value) != static_cast<ssize_t>(sizeof value)) _exit(1);
  }
  template <typename Value>
  [[nodiscard]] Value get() const {
    Value value{};
    EXPECT_EQ(read(reading.get(), &value, sizeof value), static_cast<ssize_t>(sizeof value));
    return value;
  }
  Descriptor reading;
  Descriptor writing;
};

pid_t start(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child != 0) return child;
  work();
  _exit(0);
}

void* wait_for_a_signal(void* /*nothing*/) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // should it not be ended
  while (true) pause();
}

/// Its first thread ends, and another one goes on.
void live_on_in_another_thread() {
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, wait_for_a_signal, nullptr) != 0) _exit(1);
  syscall(SYS_exit, 0);
}

bool looks_dead(pid_t process) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  const Descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  char text[512] = "";
  if (read(file.get(), text, sizeof text - 1) <= 0) return true;
  return std::strstr(text, ") Z") != nullptr;
}

TEST(Descendants, OneWhoseFirstThreadHasEndedLivesAndIsEnded) {
  Channel result;
  const pid_t subject = start([&] {
    const pid_t child = start(live_on_in_another_thread);
    while (!looks_dead(child)) usleep(1000);
    const std::vector<pid_t> found = descendants();
    result.put(found == std::vector<pid_t>{child});
    kill_descendants(2000);
    result.put(reap_children());
  });
  EXPECT_TRUE(result.get<bool>()) << "it is not seen";
  EXPECT_TRUE(result.get<bool>()) << "it is not ended";
  EXPECT_EQ(waitpid(subject, nullptr, 0), subject);
}

TEST(Descendants, OneThatDoesNotGoTakesLittleProcessorTime) {
  constexpr int kPatienceMs = 1000;
  Channel born;
  Channel go;
  Channel result;
  const pid_t subject = start([&] {
    born.put(start([] {
      prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
      wait_for_a_signal(nullptr);
    }));
    char byte = 0;
    if (read(go.reading.get(), &byte, 1) != 1) _exit(1);
    const std::int64_t begin = now_ns();
    kill_descendants(kPatienceMs);
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    result.put(now_ns() - begin);
    result.put(std::int64_t{used.tv_sec} * 1000 * kMillisecond + used.tv_nsec);
  });
  // A dead process whose tracer has not heard of it stays with its parent.
  const auto child = born.get<pid_t>();
  usleep(50'000);
  const bool is_traced = ptrace(PTRACE_SEIZE, child, nullptr, nullptr) == 0;
  go.put('x');
  const auto took_ns = result.get<std::int64_t>();
  const auto used_ns = result.get<std::int64_t>();
  if (is_traced) waitpid(child, nullptr, __WALL);
  EXPECT_EQ(waitpid(subject, nullptr, 0), subject);
  if (!is_traced) GTEST_SKIP() << "this machine lets nobody trace a process of his own";
  EXPECT_GE(took_ns, kPatienceMs * kMillisecond) << "it has gone";
  EXPECT_LT(took_ns, 4 * kPatienceMs * kMillisecond) << "the time that it is waited for is that of a clock";
  EXPECT_LT(used_ns, took_ns / 10);
}

}  // namespace
}  // namespace starling::launch
