// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Tasks that do nothing, or sleep, through the root of a farm of several processes: COUNT numbers there and back.
//
// usage: mpiexec -n N many COUNT [SLEEP_US] [--farm-tree FILE ...]
// Prints tasks a second, and behind them the messages that the root sent and got and the processor seconds that its
// relay took for them.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "starling/farm.hpp"

int main(int argc, char** argv) {
  const starling::farm::Options options(argc, argv);
  const long count = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const std::chrono::microseconds time(argc > 2 ? std::atol(argv[2]) : 0);
  long next = 0;
  long sum = 0;
  const auto calculate = [time](long n) {
    if (time.count() > 0) std::this_thread::sleep_for(time);
    return n;
  };
  const auto summary = starling::farm::run(
      options, [&]() -> std::optional<long> { return next < count ? std::optional(next++) : std::nullopt; }, calculate,
      [&](long n) { sum += n; });
  if (!summary.server) return 0;
  if (sum != count * (count - 1) / 2) return 1;
  const starling::farm::NodeReport& root = summary.nodes.front();
  std::printf("%.0f\t%llu\t%.6f\n", static_cast<double>(count) / summary.wall_s,
              static_cast<unsigned long long>(root.messages), root.relay_s);
}
