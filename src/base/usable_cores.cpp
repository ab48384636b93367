// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/usable_cores.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/small_files.hpp"

namespace starling {
namespace {

constexpr const char* kMembership = "/proc/self/cgroup";
constexpr const char* kCgroupRoot = "/sys/fs/cgroup";

std::uint32_t affinity_cores() {
  const std::size_t threads = affinity_threads().size();
  return threads > 0 ? static_cast<std::uint32_t>(threads)
                     : static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

void tighten(CoreLimits& limits, std::optional<double> cores, const std::string& file) {
  if (!cores || (limits.quota_cores && *limits.quota_cores <= *cores)) return;
  limits.quota_cores = cores;
  limits.quota_file = file;
}

void read_v2(CoreLimits& limits, const std::string& folder) {
  const std::string file = folder + "/cpu.max";
  tighten(limits, internal::parse_cpu_max(read_small_file(file)), file);
}

void read_v1(CoreLimits& limits, const std::string& folder) {
  const std::string file = folder + "/cpu.cfs_quota_us";
  const std::optional<double> quota = parse_number(read_small_file(file));
  const std::optional<double> period = parse_number(read_small_file(folder + "/cpu.cfs_period_us"));
  if (quota && period && *quota > 0 && *period > 0) tighten(limits, *quota / *period, file);
}

/// Applies read to the group and to each of its ancestors: any of them may hold the tightest limit. Inside a container
/// the group's own path may not exist, but the root then is the container's group.
template <typename Read>
void climb(CoreLimits& limits, const std::string& root, std::string path, Read read) {
  while (!path.empty() && path != "/") {
    read(limits, root + path);
    path.resize(path.rfind('/'));
  }
  read(limits, root);
}

bool names_controller(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == wanted) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// One line of /proc/self/cgroup: "<id>:<controllers>:<path>"; version 2 has the id 0 and no controllers.
void read_membership(CoreLimits& limits, std::string_view line, const std::string& root) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string path(line.substr(second + 1));
  if (!path.starts_with('/')) return;
  if (controllers.empty()) {
    climb(limits, root, path, read_v2);
  } else if (names_controller(controllers, "cpu")) {
    climb(limits, root + "/cpu", path, read_v1);
  }
}

}  // namespace

namespace internal {

std::optional<double> parse_cpu_max(std::string_view text) {
  const std::optional<double> quota = parse_number(text);  // "max" is no number: no limit
  const std::size_t space = text.find(' ');
  if (!quota || space == std::string_view::npos) return std::nullopt;
  const std::optional<double> period = parse_number(text.substr(space + 1));
  if (!period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

CoreLimits quota_limits(const std::string& membership_file, const std::string& cgroup_root) {
  CoreLimits limits;
  const std::string membership = read_small_file(membership_file);
  std::string_view rest = membership;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    read_membership(limits, rest.substr(0, end), cgroup_root);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return limits;
}

}  // namespace internal

std::uint32_t CoreLimits::usable(PartialCore partial) const noexcept {
  std::uint32_t cores = affinity;
  if (quota_cores && *quota_cores < cores) {
    const bool whole = partial == PartialCore::kNone;
    cores = static_cast<std::uint32_t>(whole ? std::floor(*quota_cores) : std::ceil(*quota_cores));
  }
  return std::max(1u, cores);
}

CoreLimits core_limits() {
  CoreLimits limits = internal::quota_limits(kMembership, kCgroupRoot);
  limits.affinity = affinity_cores();
  return limits;
}

std::uint32_t usable_cores() { return core_limits().usable(); }

}  // namespace starling
