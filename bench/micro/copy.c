// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bandwidth of memcpy on one core, by size, with source and target as warm as a benchmark leaves them: what any message
// that is copied can reach at most.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kRepetitions = 9, kMaxBytes = 4 << 20, kBytesEach = 64 << 20 };

static double now_s(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

// Megabytes (10^6 bytes) in a second.
static double measure(char* to, const char* from, size_t bytes) {
  const long times = kBytesEach / (long)bytes;
  const double start_s = now_s();
  for (long i = 0; i < times; ++i) {
    memcpy(to, from, bytes);
    __asm__ volatile("" ::"r"(to), "r"(from) : "memory");  // keeps each copy
  }
  return 1e-6 * (double)times * (double)bytes / (now_s() - start_s);
}

int main(void) {
  char* from = aligned_alloc(4096, kMaxBytes);
  char* to = aligned_alloc(4096, kMaxBytes);
  if (from == NULL || to == NULL) {
    fprintf(stderr, "copy: no memory for two buffers of %d bytes\n", kMaxBytes);
    return 1;
  }
  memset(from, 1, kMaxBytes);
  memset(to, 2, kMaxBytes);
  for (size_t bytes = 1024; bytes <= kMaxBytes; bytes *= 2) {
    double rates[kRepetitions];
    measure(to, from, bytes);
    for (int i = 0; i < kRepetitions; ++i) rates[i] = measure(to, from, bytes);
    qsort(rates, kRepetitions, sizeof rates[0], compare_doubles);
    printf("copy\t%zu\t%.6g\tMB/s\t%.6g\t%.6g\n", bytes, rates[kRepetitions / 2], rates[0], rates[kRepetitions - 1]);
  }
  free(from);
  free(to);
  return 0;
}
