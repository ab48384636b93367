// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One process: the farm beside TBB's parallel_pipeline on the same tasks, in turns, of which each is first in every
// other.
//
// usage: one_process [ROUNDS] [THREADS] [MICROSECONDS...]
// Prints for each length of a task (0, 1, 10, 100 and 1000 us by default): microseconds, tasks, then the medians of
// tasks/s of the farm and of TBB, of their ratio in a round, and of the farm's efficiency (work done by all threads'
// time).
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "starling/farm.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Arithmetic that takes as long wherever it runs: measured once, then counted.
class Work {
 public:
  Work() {
    constexpr long kProbe = 20'000'000;
    const Clock::time_point start = Clock::now();
    sink_ = spin(kProbe);
    rounds_per_us_ = kProbe / (seconds_since(start) * 1e6);
  }
  long for_us(double microseconds) const { return spin(static_cast<long>(microseconds * rounds_per_us_)); }

 private:
  static long spin(long rounds) {
    unsigned long x = 88172645463325252u;
    for (long i = 0; i < rounds; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    return static_cast<long>(x & 1);
  }
  double rounds_per_us_ = 1;
  volatile long sink_ = 0;
};

double farm_rate(const Work& work, double microseconds, long count, int threads) {
  starling::farm::Options options;
  options.threads = threads;
  options.summary = false;
  options.progress = starling::farm::Progress::kOff;
  long next = 0;
  long sum = 0;
  const auto summary = starling::farm::run(
      options, [&]() -> std::optional<long> { return next < count ? std::optional(next++) : std::nullopt; },
      [&work, microseconds](long n) { return n + work.for_us(microseconds); }, [&](long n) { sum += n; });
  if (sum < count * (count - 1) / 2) std::abort();
  return static_cast<double>(count) / summary.wall_s;
}

double tbb_rate(const Work& work, double microseconds, long count, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  long next = 0;
  long sum = 0;
  const Clock::time_point start = Clock::now();
  tbb::parallel_pipeline(
      static_cast<std::size_t>(16 * threads),
      tbb::make_filter<void, long>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (next == count) control.stop();
        return next < count ? next++ : 0;
      }) & tbb::make_filter<long, long>(tbb::filter_mode::parallel, [&](long n) {
        return n + work.for_us(microseconds);
      }) & tbb::make_filter<long, void>(tbb::filter_mode::serial_out_of_order, [&](long n) { sum += n; }));
  if (sum < count * (count - 1) / 2) std::abort();
  return static_cast<double>(count) / seconds_since(start);
}

/// With real-time priority (chrt) more than 95 % of a second would be taken away from whoever runs then.
void cool_down() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  std::vector<double> lengths;
  for (int i = 3; i < argc; ++i) lengths.push_back(std::atof(argv[i]));
  if (lengths.empty()) lengths = {0, 1, 10, 100, 1000};
  const Work work;
  std::printf("us\ttasks\tfarm/s\ttbb/s\tratio\tefficiency\n");
  for (const double microseconds : lengths) {
    const long count = static_cast<long>(100'000 * threads / (microseconds + 0.3));
    std::vector<double> farm;
    std::vector<double> tbb;
    std::vector<double> ratio;
    for (int round = 0; round < rounds; ++round) {
      const auto run_farm = [&] { farm.push_back(farm_rate(work, microseconds, count, threads)); };
      const auto run_tbb = [&] { tbb.push_back(tbb_rate(work, microseconds, count, threads)); };
      if (round % 2 == 0) run_farm();
      cool_down();
      run_tbb();
      cool_down();
      if (round % 2 != 0) run_farm();
      ratio.push_back(farm.back() / tbb.back());
    }
    const double rate = median(farm);
    std::printf("%g\t%ld\t%.0f\t%.0f\t%.2f\t%.2f\n", microseconds, count, rate, median(tbb), median(ratio),
                rate * microseconds * 1e-6 / threads);
  }
}
