// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "table.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace starling::pap {
namespace {

/// "program: function+0x12", or what is known of it.
std::string place_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "unknown";
  const char* slash = std::strrchr(info.dli_fname, '/');
  const char* file = slash != nullptr ? slash + 1 : info.dli_fname;
  const bool named = info.dli_sname != nullptr;
  const auto base = reinterpret_cast<std::uintptr_t>(named ? info.dli_saddr : info.dli_fbase);
  char text[160];
  std::snprintf(text, sizeof text, "%s:%s+0x%zx", file, named ? info.dli_sname : "",
                static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address) - base));
  return text;
}

std::string who_was_late(const Sightings& seen) {
  const auto last = std::max_element(seen.last.begin(), seen.last.end());
  std::uint64_t watched = 0;
  for (const std::uint64_t count : seen.last) watched += count;
  if (watched == 0) return "-";
  const std::size_t rank = static_cast<std::size_t>(last - seen.last.begin());
  char text[96];
  std::snprintf(text, sizeof text, "rank %zu in %.0f %%, by %.3f ms", rank,
                100.0 * static_cast<double>(*last) / static_cast<double>(watched),
                1e3 * seen.behind_s[rank] / static_cast<double>(*last));
  return text;
}

}  // namespace

std::string channel_line(const Channel& channel) {
  const Sightings& seen = channel.sightings();
  char text[400];
  std::snprintf(text, sizeof text, "%-34.34s %-9s %10lld %7llu %7llu %10.3f %10.3f %10.3f  %s\n",
                place_of(channel.site()).c_str(), kOperationNames[static_cast<std::size_t>(channel.kind().operation)],
                static_cast<long long>(channel.kind().bytes), static_cast<unsigned long long>(seen.calls),
                static_cast<unsigned long long>(seen.scheduled_calls), 1e3 * seen.time_s, 1e3 * seen.lost_s,
                1e3 * seen.saved_s, who_was_late(seen).c_str());
  return text;
}

std::string site_lines(const Recorder& recorder, double cycle_s) {
  std::string lines;
  for (const Site& site : recorder.sites()) {
    if (site.calls == 0) continue;
    char text[300];
    std::snprintf(text, sizeof text, "%-34.34s %-9s %7llu el %7llu %7s %10.3f\n", place_of(site.address).c_str(),
                  kOperationNames[static_cast<std::size_t>(site.operation)],
                  static_cast<unsigned long long>(site.elements / site.calls),
                  static_cast<unsigned long long>(site.calls.load()), "-", 1e3 * cycle_s * site.estimated_cycles());
    lines += text;
  }
  return lines;
}

void print_from_all(const std::string& lines) {
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const int length = static_cast<int>(lines.size());
  std::vector<int> lengths(static_cast<std::size_t>(size));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> starts(lengths.size());
  int total = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    starts[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), ' ');
  PMPI_Gatherv(lines.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0 || all.empty()) return;
  std::fprintf(
      stderr,
      "pap: late ranks. Times in ms: in the calls, lost by a rank waiting for the last, saved by going around it; late "
      "against the median.\n%-34s %-9s %10s %7s %7s %10s %10s %10s  %s\n%s",
      "call site", "operation", "bytes", "calls", "around", "time", "lost", "saved", "late", all.c_str());
}

}  // namespace starling::pap
