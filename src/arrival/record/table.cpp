// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arrival/record/table.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace starling::arrival {
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

std::string who_was_late(std::span<const Lateness> ranks) {
  const auto last = std::max_element(ranks.begin(), ranks.end(),
                                     [](const Lateness& a, const Lateness& b) { return a.last < b.last; });
  std::uint64_t watched = 0;
  for (const Lateness& rank : ranks) watched += rank.last;
  if (watched == 0) return "-";
  char text[96];
  std::snprintf(text, sizeof text, "rank %td in %.0f %%, by %.3f ms", last - ranks.begin(),
                100.0 * static_cast<double>(last->last) / static_cast<double>(watched),
                1e3 * last->behind_s / static_cast<double>(last->last));
  return text;
}

/// Of so many ranks; there may be thousands.
constexpr std::size_t kMostInPattern = 64;

/// When each rank comes or leaves, in the mean.
std::string pattern_line(const char* what, const CallSummary& summary, double Lateness::*time_s) {
  std::string line = std::string("    ") + what;
  const std::size_t shown = std::min(summary.ranks.size(), kMostInPattern);
  for (std::size_t rank = 0; rank < shown; ++rank) {
    char text[32];
    std::snprintf(text, sizeof text, " %.3f",
                  1e3 * summary.ranks[rank].*time_s / static_cast<double>(summary.imbalance.calls));
    line += text;
  }
  if (shown < summary.ranks.size()) line += " and so on";
  return line + "\n";
}

}  // namespace

std::string line_of(const void* site, const char* operation, std::int64_t bytes, const CallSummary& summary) {
  const Imbalance& seen = summary.imbalance;
  const double calls = std::max<double>(1, static_cast<double>(seen.calls));
  char text[400];
  std::snprintf(text, sizeof text, "%-34.34s %-14s %10lld %7llu %7llu %10.3f %10.3f %10.3f %9.1f %6.0f %9.3f  %s\n",
                place_of(site).c_str(), operation, static_cast<long long>(bytes),
                static_cast<unsigned long long>(summary.calls),
                static_cast<unsigned long long>(summary.scheduled_calls), 1e3 * summary.time_s, 1e3 * summary.lost_s,
                1e3 * summary.saved_s, seen.factors / calls, 100 * static_cast<double>(seen.imbalanced) / calls,
                1e3 * seen.exits_s / calls, who_was_late(summary.ranks).c_str());
  if (seen.calls == 0) return text;
  return text + pattern_line("came", summary, &Lateness::came_s) + pattern_line("left", summary, &Lateness::left_s);
}

std::string lines_of(const Recorder& recorder, double cycle_s) {
  std::string lines;
  for (const Site& site : recorder.sites()) {
    if (site.calls == 0) continue;
    char text[300];
    std::snprintf(text, sizeof text, "%-34.34s %-14s %7llu el %7llu %7s %10.3f\n", place_of(site.address).c_str(),
                  site.operation.load(), static_cast<unsigned long long>(site.elements / site.calls),
                  static_cast<unsigned long long>(site.calls.load()), "-", 1e3 * cycle_s * site.estimated_cycles());
    lines += text;
  }
  return lines;
}

std::string table_head() {
  char text[700];
  std::snprintf(
      text, sizeof text,
      "late ranks. Times in ms: in the calls, lost by a rank waiting for the last, saved by going around it; "
      "of a call: messages of its size that fit between the first arrival and the last, in how many of a hundred "
      "calls one does, and from the first end to the last; late against the median. Below: how long after the "
      "first each rank came and left in the mean, from rank 0 on.\n"
      "%-34s %-14s %10s %7s %7s %10s %10s %10s %9s %6s %9s  %s\n",
      "call site", "operation", "bytes", "calls", "around", "time", "lost", "saved", "imbalance", "uneven", "exits",
      "late");
  return text;
}

}  // namespace starling::arrival
