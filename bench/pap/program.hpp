// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the programs with late ranks share: a clock, sleep, what computing costs, and lists on the
// command line.
#pragma once

#include <time.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

#if defined(STARLING_SIMULATED)
#include <mpi.h>

#include <simgrid/s4u.hpp>
#endif

namespace starling::programs {

/// Seconds by one clock for all processes: they run on one machine, or in one simulation.
inline double now_s() {
#if defined(STARLING_SIMULATED)
  return MPI_Wtime();
#else
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
}

/// Sleeps, in whatever time the program has.
inline void sleep_s(double seconds) {
#if defined(STARLING_SIMULATED)
  simgrid::s4u::this_actor::sleep_for(seconds);
#else
  usleep(static_cast<useconds_t>(1e6 * seconds));
#endif
}

/// What `work` gives back; its processor time is added to the sum. A simulation, in whose time computing takes none,
/// lets as much pass on this node.
template <typename Work>
auto charged(double* sum_s, Work work) {
  const auto processor_s = [] {
    timespec time{};
    (clock_gettime)(CLOCK_THREAD_CPUTIME_ID, &time);  // the system's: a macro of this name gives simulated time
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin_s = processor_s();
  auto result = work();
  const double taken_s = processor_s() - begin_s;
  *sum_s += taken_s;
#if defined(STARLING_SIMULATED)
  sleep_s(taken_s);
#endif
  return result;
}

/// "a,b" as {"a", "b"}.
inline std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) list.push_back(word);
  return list;
}

}  // namespace starling::programs
