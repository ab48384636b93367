// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// bench/pap/recorder: what it costs to note a collective call, with its looks at the clock; it is always on, so it
// shall stay under 20 ns.
#include "arrival/record/recorder.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "base/cycles.hpp"

namespace {

using starling::cycles;
using starling::arrival::Recorder;
using starling::arrival::Timed;

double processor_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

int main() {
  constexpr int kCalls = 2'000'000;
  constexpr int kSites = 50;
  static Recorder recorder;
  static char places[kSites * 16];
  std::vector<double> runs;
  for (int run = 0; run < 5; ++run) {
    const double begin = processor_s();
    for (int i = 0; i < kCalls; ++i) {
      const Timed<&cycles> timed(recorder.begin({&places[16 * (i % kSites)], 1, "Reduce", 1000}));
    }
    runs.push_back(1e9 * (processor_s() - begin) / kCalls);
  }
  std::sort(runs.begin(), runs.end());
  std::printf("ns for each call noted: min %.1f, median %.1f, max %.1f (target: under 20)\n", runs.front(), runs[2],
              runs.back());
  return 0;
}
