// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the C benchmarks share: options, adaptive repetition, statistics and the output line. Portable to any MPI.
// Thread safety: one thread in each process.
// Output: one line for each figure, `name TAB size TAB value TAB unit TAB min TAB max`; the value is the median of the
// repetitions. Lines that begin with '#' are remarks.
#ifndef STARLING_BENCH_COMMON_BENCH_H
#define STARLING_BENCH_COMMON_BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { kBenchMaxSizes = 64, kBenchMaxRepetitions = 101, kBenchMaxMessage = 4 << 20 };

typedef struct {
  double budget_s;   // for each figure; slow libraries may need more, because each figure takes at least 3 repetitions
  int repetitions;   // wanted; fewer when the budget does not allow them
  double wait_s;     // idle_cpu: how long the late rank sleeps
  const char* only;  // collective: the operations to run, separated by commas; NULL for all
  bool first_is_root;  // collective: rank 0 is the root of every call; else the roots take turns
  int size_count;
  long sizes[kBenchMaxSizes];  // in bytes
} BenchOptions;

// Seconds for one iteration: the median of the repetitions, the smallest and the largest.
typedef struct {
  double median_s;
  double min_s;
  double max_s;
} BenchTimes;

// Runs `iterations` operations; called on every rank of the communicator at once.
typedef void (*BenchBody)(void* context, long iterations);

// Fills in the defaults, then reads --budget=S, --repetitions=N, --sizes=A,B,C, --wait=S, --only=NAMES and --root=first
// or turns. Ends the job on an option that it does not know. Call after MPI_Init.
BenchOptions bench_options(int argc, char** argv, const long* sizes, int size_count);

// True when `name` is one of the comma-separated `names`, or when there are no names.
bool bench_selected(const char* names, const char* name);

// Warms up, finds out how many iterations fit the budget and times the repetitions; the time of a repetition is that of
// its slowest rank. Collective over comm; the result is complete on rank 0 of comm only.
BenchTimes bench_time(MPI_Comm comm, BenchBody body, void* context, const BenchOptions* options);

// The ratio of the times of two contexts, in pairs that alternate: the median of the pairs, the smallest and the
// largest (in the fields of the seconds). Otherwise as bench_time.
BenchTimes bench_ratio(MPI_Comm comm, BenchBody body, void* first, void* second, const BenchOptions* options);

// The line for a time (scaled by `scale` into `unit`), and for a rate of `amount` units in the measured time.
void bench_print_time(const char* name, long size, BenchTimes times, double scale, const char* unit);
void bench_print_rate(const char* name, long size, BenchTimes times, double amount, const char* unit);
void bench_print(const char* name, long size, double value, const char* unit, double min, double max);

// Page-aligned memory, written once so that every page exists. Ends the job when there is none. Free with free().
void* bench_buffer(size_t bytes, int fill);

// The powers of two from 1 byte to 4 MiB, and 0 first.
extern const long kBenchMessageSizes[];
extern const int kBenchMessageSizeCount;

#endif
