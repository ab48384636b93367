// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/small_files.hpp"

namespace starling::tuning {
namespace {

constexpr std::string_view kGap = " \t";

/// What stands behind "name :" in the first line that has it; empty: no line has.
std::string_view value_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !line.starts_with(name)) continue;
    const std::size_t behind = line.find_first_not_of(kGap, name.size());
    const std::size_t value = line.find_first_not_of(kGap, colon + 1);
    if (behind == colon && value != std::string_view::npos) return line.substr(value);
  }
  return {};
}

/// Whether a list such as "0-3,8" has all of these numbers; an empty one, which could not be read, has none.
bool has_all(const std::string& list, std::span<const unsigned> numbers) {
  std::vector<std::pair<unsigned, unsigned>> ranges;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    unsigned first = 0;
    auto [rest, error] = std::from_chars(at, end, first);
    if (error != std::errc()) break;
    unsigned last = first;
    if (rest < end && *rest == '-') rest = std::from_chars(rest + 1, end, last).ptr;
    ranges.emplace_back(first, last);
    at = rest < end ? rest + 1 : end;
  }
  return std::ranges::all_of(numbers, [&](unsigned number) {
    return std::ranges::any_of(ranges,
                               [&](const auto& range) { return range.first <= number && number <= range.second; });
  });
}

/// The hardware threads that share the last cache with this one.
std::string cache_list(const std::string& cpu) {
  std::string list;
  constexpr int kMostCaches = 16;
  for (int index = 0; index < kMostCaches; ++index) {
    std::string found = read_small_file(cpu + "/cache/index" + std::to_string(index) + "/shared_cpu_list");
    if (found.empty()) break;
    list = std::move(found);  // they stand in the order of their levels
  }
  return list;
}

/// Of the NUMA nodes the one that has this hardware thread.
std::string node_list(const std::string& root, unsigned thread) {
  constexpr int kMostNodes = 1024;
  for (int node = 0; node < kMostNodes; ++node) {
    std::string list = read_small_file(root + "/node/node" + std::to_string(node) + "/cpulist");
    if (list.empty()) break;
    if (has_all(list, std::span(&thread, 1))) return list;
  }
  return {};
}

}  // namespace

std::string Machine::text() const { return formatted("{}, {} cores (host {})", cpu, cores, host); }

Machine this_machine() {
  Machine machine;
  machine.cpu = internal::cpu_in(read_whole_file("/proc/cpuinfo"));
  utsname system{};
  if (machine.cpu.empty() && uname(&system) == 0) machine.cpu = system.machine;
  machine.cores = std::max(1L, sysconf(_SC_NPROCESSORS_CONF));
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  machine.host = host;
  return machine;
}

Distance spread_of(std::span<const unsigned> threads) { return internal::spread_of(threads, "/sys/devices/system"); }

namespace internal {

std::string cpu_in(std::string_view cpuinfo) {
  if (const std::string_view model = value_of(cpuinfo, "model name"); !model.empty()) return std::string(model);
  const std::string_view implementer = value_of(cpuinfo, "CPU implementer");
  return implementer.empty() ? std::string() : formatted("{}/{}", implementer, value_of(cpuinfo, "CPU part"));
}

Distance spread_of(std::span<const unsigned> threads, const std::string& root) {
  if (threads.size() < 2) return Distance::kNear;
  const std::string cpu = root + "/cpu/cpu" + std::to_string(threads[0]);
  if (has_all(cache_list(cpu), threads)) return Distance::kNear;
  if (has_all(node_list(root, threads[0]), threads)) return Distance::kFar;
  if (has_all(read_small_file(cpu + "/topology/package_cpus_list"), threads)) return Distance::kNuma;
  return Distance::kNode;
}

}  // namespace internal

}  // namespace starling::tuning
