// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the programs with late ranks share: a clock, and lists on the command line.
#pragma once

#include <time.h>

#include <sstream>
#include <string>
#include <vector>

#if defined(STARLING_SIMULATED)
#include <mpi.h>
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

/// "a,b" as {"a", "b"}.
inline std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) list.push_back(word);
  return list;
}

}  // namespace starling::programs
