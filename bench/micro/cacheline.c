// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The control of every comparison: the bare transfer of a cache line between two processes on two cores, with nothing
// but loads and stores. No message between these cores can be faster. Output: as the other benchmarks; the value is one
// way (half a round trip) in ns. Layout: two lines in shared memory, one for each direction, 128 bytes apart so that
// the adjacent-line prefetcher does not couple them.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kRepetitions = 11, kRoundTrips = 20000, kWarmUpTrips = 20000, kLineBytes = 128 };

typedef struct {
  _Alignas(kLineBytes) atomic_long ping;
  _Alignas(kLineBytes) atomic_long pong;
} Lines;

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void fail(const char* what) {
  fprintf(stderr, "cacheline: %s: %s\n", what, strerror(errno));
  exit(1);
}

// The first two processors that this process may use.
static void find_two_cores(int cores[2]) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) fail("the allowed processors cannot be read");
  int found = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && found < 2; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cores[found++] = cpu;
  }
  if (found == 2) return;
  fprintf(stderr, "cacheline: two processors are needed, but this process may use only one\n");
  exit(1);
}

static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("the process cannot be pinned to its processor");
}

static void pause_core(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

static void wait_for(atomic_long* line, long value) {
  // Acquire and release suffice: each side only reacts to the other's last store.
  while (atomic_load_explicit(line, memory_order_acquire) != value) pause_core();
}

static void echo(Lines* lines, long trips) {
  for (long i = 1; i <= trips; ++i) {
    wait_for(&lines->ping, i);
    atomic_store_explicit(&lines->pong, i, memory_order_release);
  }
}

static long call(Lines* lines, long from, long trips) {
  for (long i = from + 1; i <= from + trips; ++i) {
    atomic_store_explicit(&lines->ping, i, memory_order_release);
    wait_for(&lines->pong, i);
  }
  return from + trips;
}

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(void) {
  int cores[2];
  find_two_cores(cores);
  Lines* lines = mmap(NULL, sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (lines == MAP_FAILED) fail("no shared memory");
  // The child begins on its own core: beside a parent that spins under a real-time policy it would not get to pin
  // itself.
  pin(cores[1]);
  const pid_t child = fork();
  if (child < 0) fail("no second process");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    echo(lines, kWarmUpTrips + (long)kRepetitions * kRoundTrips);
    _exit(0);
  }
  pin(cores[0]);
  long at = call(lines, 0, kWarmUpTrips);
  double one_way_ns[kRepetitions];
  for (int i = 0; i < kRepetitions; ++i) {
    const double start_ns = now_ns();
    at = call(lines, at, kRoundTrips);
    one_way_ns[i] = (now_ns() - start_ns) / kRoundTrips / 2;
  }
  int status = 0;
  waitpid(child, &status, 0);
  qsort(one_way_ns, kRepetitions, sizeof one_way_ns[0], compare_doubles);
  printf("cacheline\t64\t%.4g\tns\t%.4g\t%.4g\n", one_way_ns[kRepetitions / 2], one_way_ns[0],
         one_way_ns[kRepetitions - 1]);
  return 0;
}
