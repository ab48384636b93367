// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What code asks the C library and the kernel for that concerns the order of memory: the linker turns the calls here
// (--wrap). Outside of a model's threads they are what they always are.
// Thread safety: none.
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "weak_memory/explorer/machine.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier)
using starling::weak::Machine;
using starling::weak::Touch;

extern "C" {
void* __real_memcpy(void* to, const void* from, std::size_t bytes);
void* __real_memmove(void* to, const void* from, std::size_t bytes);
void* __real_memset(void* to, int value, std::size_t bytes);
long __real_syscall(long number, ...);
int __real_sched_yield();
int __real_clock_gettime(clockid_t clock, timespec* time);

void* __wrap_memcpy(void* to, const void* from, std::size_t bytes) {
  if (Machine* machine = Machine::of_running_code()) {
    machine->touch(Touch::kRead, from, bytes);
    machine->touch(Touch::kWrite, to, bytes);
  }
  return __real_memcpy(to, from, bytes);
}

void* __wrap_memmove(void* to, const void* from, std::size_t bytes) {
  if (Machine* machine = Machine::of_running_code()) {
    machine->touch(Touch::kRead, from, bytes);
    machine->touch(Touch::kWrite, to, bytes);
  }
  return __real_memmove(to, from, bytes);
}

void* __wrap_memset(void* to, int value, std::size_t bytes) {
  if (Machine* machine = Machine::of_running_code()) machine->touch(Touch::kWrite, to, bytes);
  return __real_memset(to, value, bytes);
}

/// A thread that gives its core away has looked in vain.
int __wrap_sched_yield() {
  Machine* machine = Machine::of_running_code();
  if (machine == nullptr) return __real_sched_yield();
  machine->look_again();
  return 0;
}

/// Of replaced/base/cpu.hpp.
void starling_weak_spin() {
  if (Machine* machine = Machine::of_running_code()) machine->look_again();
}

/// Of replaced/base/own_thread.hpp.
const void* starling_weak_own_thread() {
  const Machine* machine = Machine::of_running_code();
  return machine == nullptr ? nullptr : machine->running_thread();
}

/// In a model a second passes with each look at the clock: nobody's patience lasts.
int __wrap_clock_gettime(clockid_t clock, timespec* time) {
  Machine* machine = Machine::of_running_code();
  if (machine == nullptr) return __real_clock_gettime(clock, time);
  time->tv_sec = machine->next_second();
  time->tv_nsec = 0;
  return 0;
}

long __wrap_syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long words[6];
  for (long& word : words) word = va_arg(arguments, long);
  va_end(arguments);
  Machine* machine = Machine::of_running_code();
  if (machine != nullptr && number == SYS_futex) {
    auto* word = reinterpret_cast<void*>(words[0]);
    if (words[1] == FUTEX_WAIT && words[3] != 0) {  // a sleep with a limit, which ends at once
      machine->look_again();
      return -1;
    }
    if (words[1] == FUTEX_WAIT) return machine->futex_wait(word, static_cast<std::uint32_t>(words[2])) ? 0 : -1;
    machine->futex_wake(word);
    return 0;
  }
  if (machine != nullptr && number == SYS_membarrier) {
    if (words[0] != MEMBARRIER_CMD_GLOBAL_EXPEDITED) return 0;
    return machine->barrier() ? 0 : -1;
  }
  return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
}
// NOLINTEND(bugprone-reserved-identifier)
