// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/figures/rank_figures.hpp"

namespace starling::observe {
namespace {

/// Counts that seem to go back are those of another process in the same place: nothing is known of it yet.
double per_second(std::uint64_t first, std::uint64_t second, double seconds) {
  return second > first && seconds > 0 ? static_cast<double>(second - first) / seconds : 0;
}

}  // namespace

RankFigures figures_between(const RankReading& first, const RankReading& second, const CallLooks& looks) {
  constexpr double kNsPerSecond = 1e9;
  const double seconds = static_cast<double>(second.at_ns - first.at_ns) / kNsPerSecond;
  RankFigures figures;
  if (looks.all != 0) figures.mpi_share = static_cast<double>(looks.inside) / looks.all;
  figures.calls_per_s = per_second(first.calls, second.calls, seconds);
  figures.messages_per_s = per_second(first.messages, second.messages, seconds);
  figures.bytes_per_s = per_second(first.bytes, second.bytes, seconds);
  if (!second.process) return figures;
  figures.processor = second.process->processor;
  figures.resident_bytes = second.process->resident_bytes;
  if (first.process && seconds > 0) {
    const std::int64_t used = second.process->cpu_ns - first.process->cpu_ns;
    figures.cores = used > 0 ? static_cast<double>(used) / kNsPerSecond / seconds : 0;
  }
  return figures;
}

}  // namespace starling::observe
