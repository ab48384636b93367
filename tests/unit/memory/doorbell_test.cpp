// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The doorbell's promise: whoever announced that it sleeps and then found nothing is woken by the next message. A wake
// that is lost shows as a wait that ran into its time limit although the message is there.
#include "memory/doorbell.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <random>
#include <thread>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "support/sanitized.hpp"

namespace starling::memory {
namespace {

constexpr std::int64_t kPatience = 1'000'000'000;
constexpr std::uint32_t kRounds = kUnderSanitizer ? 10000 : 40000;

/// One direction: messages are the numbers from 1 up, and the receiver says which one it has.
struct Mailbox {
  Doorbell bell;
  alignas(kCacheLine) std::atomic<std::uint32_t> message{0};
  alignas(kCacheLine) std::atomic<std::uint32_t> received{0};
};

/// Up to about a microsecond, so that the message falls at every point of the receiver's way to sleep: a store that is
/// still on its way out of the sender's core is what a missing fence would lose.
void dawdle(std::minstd_rand& random) {
  for (auto steps = random() % 2000; steps > 0; --steps) asm volatile("");
}

/// Whether the bell is rung after all, by a sender that had no core between its message and its ring.
bool rings_late(const Mailbox& box, std::uint32_t ticket) {
  for (const std::int64_t until = now_ns() + 20 * kPatience; now_ns() < until;) {
    if (box.bell.ticket.load(std::memory_order_acquire) != ticket) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Waits for a message as progress/ does, without its spinning. False: the wake for it was lost.
bool await(Mailbox& box, std::uint32_t message) {
  while (box.message.load(std::memory_order_acquire) != message) {
    const std::uint32_t ticket = box.bell.ticket.load(std::memory_order_acquire);
    box.bell.sleeping.fetch_add(1, std::memory_order_seq_cst);
    barrier_everywhere();
    const std::int64_t begin = now_ns();
    bool lost = false;
    if (box.message.load(std::memory_order_acquire) != message) {
      futex_wait(box.bell.ticket, ticket, kPatience);
      lost = now_ns() - begin >= kPatience && box.message.load(std::memory_order_acquire) == message &&
             !rings_late(box, ticket);
    }
    box.bell.sleeping.fetch_sub(1, std::memory_order_relaxed);
    if (lost) return false;
  }
  return true;
}

/// Puts the calling thread on one of the cores that it may use, so that the two sides really run at the same time.
void run_on_core(int which) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  const int cores = CPU_COUNT(&allowed);
  for (int core = 0, seen = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || seen++ != which % cores) continue;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    sched_setaffinity(0, sizeof only, &only);
    return;
  }
}

void send_all(Mailbox& box, bool sender_fences) {
  run_on_core(0);
  std::minstd_rand random(1);
  for (std::uint32_t message = 1; message <= kRounds; ++message) {
    dawdle(random);
    box.message.store(message, std::memory_order_release);
    ring(box.bell, sender_fences);
    // Stays awake: the race is between a sender that runs and a receiver that is about to sleep.
    for (int spins = 0; box.received.load(std::memory_order_acquire) != message; ++spins) {
      if (spins > 1000) std::this_thread::yield();
    }
  }
}

/// Returns how many wakes were lost.
std::uint32_t receive_all(Mailbox& box) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  run_on_core(1);
  std::minstd_rand random(2);
  std::uint32_t lost = 0;
  for (std::uint32_t message = 1; message <= kRounds; ++message) {
    dawdle(random);
    if (!await(box, message)) ++lost;
    box.received.store(message, std::memory_order_release);
  }
  sched_setaffinity(0, sizeof before, &before);
  return lost;
}

TEST(Doorbell, DoesNotCallTheKernelForARankThatIsAwake) {
  Doorbell bell;
  ring(bell, false);
  ring(bell, true);
  EXPECT_EQ(bell.ticket.load(), 0U);
}

TEST(Doorbell, TurnsItsTicketForARankThatSleeps) {
  Doorbell bell;
  bell.sleeping.store(1);
  ring(bell, false);
  EXPECT_EQ(bell.ticket.load(), 1U);
}

TEST(Doorbell, LosesNoWakeBetweenTwoThreads) {
  Mailbox box;
  const bool sender_fences = !register_for_barriers();
  std::thread sender([&] { send_all(box, sender_fences); });
  EXPECT_EQ(receive_all(box), 0U);
  sender.join();
}

void send_from_another_process(bool force_sender_fences) {
  void* memory = mmap(nullptr, sizeof(Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* box = new (memory) Mailbox;
  const pid_t child = fork();
  if (child == 0) {
    send_all(*box, !register_for_barriers() || force_sender_fences);
    _exit(0);
  }
  EXPECT_EQ(receive_all(*box), 0U);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  munmap(memory, sizeof(Mailbox));
}

TEST(Doorbell, LosesNoWakeBetweenTwoProcesses) { send_from_another_process(false); }
TEST(Doorbell, LosesNoWakeWhereSendersCarryTheFence) { send_from_another_process(true); }

TEST(Doorbell, WakesEveryThreadOfARankAtOnce) {
  Doorbell bell;
  std::atomic<int> woken{0};
  std::atomic<bool> go{false};
  const auto sleeper = [&] {
    bell.sleeping.fetch_add(1);
    const std::uint32_t ticket = bell.ticket.load();
    while (!go.load() && bell.ticket.load() == ticket) futex_wait(bell.ticket, ticket, kPatience);
    woken.fetch_add(1);
  };
  std::thread one(sleeper);
  std::thread two(sleeper);
  while (bell.sleeping.load() != 2) std::this_thread::yield();
  go.store(true);
  ring(bell, true);
  one.join();
  two.join();
  EXPECT_EQ(woken.load(), 2);
  EXPECT_EQ(bell.ticket.load(), 1U);
}

}  // namespace
}  // namespace starling::memory
