// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/host_reader.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "base/format.hpp"
#include "base/small_files.hpp"

namespace starling::observe {
namespace {

/// The number behind a word at the start of a line; nothing: there is no such line.
std::optional<std::uint64_t> number_of(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(word)) continue;
    const char next = line.size() > word.size() ? line[word.size()] : '\0';
    if (next == ' ' || next == '\t' || next == ':')
      return std::strtoull(line.c_str() + line.find_first_not_of(": \t", word.size()), nullptr, 10);
  }
  return std::nullopt;
}

/// Of cgroup version 2 ("250000 100000", "max 100000"), or 1 (two files).
std::optional<double> quota_of(const std::string& folder) {
  std::istringstream both(read_small_file(folder + "/cpu.max"));
  double quota = 0;
  double period = 0;
  if (both >> quota >> period && period > 0) return quota / period;
  std::istringstream first(read_small_file(folder + "/cpu.cfs_quota_us"));
  std::istringstream second(read_small_file(folder + "/cpu.cfs_period_us"));
  if (first >> quota && second >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

void add_group(std::vector<GroupReading>& groups, const std::string& folder) {
  const std::string text = read_small_file(folder + "/cpu.stat");
  const std::optional<std::uint64_t> periods = number_of(text, "nr_periods");
  if (!periods) return;
  groups.push_back({folder, *periods, number_of(text, "nr_throttled").value_or(0), quota_of(folder)});
}

/// Whether a list of controllers, "cpu,cpuacct", has that of processor time. Version 2 has an empty one for all.
bool limits_processors(std::string_view list) {
  if (list.empty()) return true;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == "cpu") return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// The numbers of the entries of a folder.
std::vector<int> numbers_in(const std::string& folder, std::string_view prefix) {
  std::vector<int> numbers;
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return numbers;
  while (const dirent* const entry = readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) continue;
    numbers.push_back(std::atoi(digits.data()));
  }
  closedir(entries);
  return numbers;
}

}  // namespace

std::vector<GroupReading> read_groups(pid_t process, const std::string& root) {
  std::vector<GroupReading> groups;
  std::istringstream lines(read_small_file(formatted("{}/proc/{}/cgroup", root, process)));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!limits_processors(controllers)) continue;
    const std::string base = root + "/sys/fs/cgroup" + (controllers.empty() ? "" : "/" + controllers);
    std::string path = line.substr(second + 1);
    // The root group has no limit, but inside a container it is the container's own.
    for (; !path.empty() && path != "/"; path.resize(path.rfind('/'))) add_group(groups, base + path);
    add_group(groups, base);
  }
  return groups;
}

VmReading read_vm(const std::string& root) {
  // Longer than a small file.
  std::string text;
  if (FILE* const file = std::fopen((root + "/proc/vmstat").c_str(), "re")) {
    char buffer[4096];
    for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, count);
    std::fclose(file);
  }
  return {number_of(text, "pswpin").value_or(0), number_of(text, "compact_stall").value_or(0)};
}

std::string read_huge_pages(const std::string& root) {
  const std::string text = read_small_file(root + "/sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  return begin == std::string::npos || end < begin ? std::string() : text.substr(begin + 1, end - begin - 1);
}

std::size_t running_threads(pid_t process, const std::string& root) {
  const std::string folder = formatted("{}/proc/{}/task", root, process);
  std::size_t running = 0;
  for (const int thread : numbers_in(folder, "")) {
    const std::string text = read_small_file(formatted("{}/{}/stat", folder, thread));
    const std::size_t behind_name = text.rfind(')');
    if (behind_name != std::string::npos && behind_name + 2 < text.size() && text[behind_name + 2] == 'R') ++running;
  }
  return running;
}

std::uint64_t swapped_bytes(pid_t process, const std::string& root) {
  constexpr std::uint64_t kKibibyte = 1024;
  return number_of(read_small_file(formatted("{}/proc/{}/status", root, process)), "VmSwap").value_or(0) * kKibibyte;
}

std::size_t allowed_processors(pid_t process, const std::string& root) {
  std::istringstream lines(read_small_file(formatted("{}/proc/{}/status", root, process)));
  constexpr std::string_view kWord = "Cpus_allowed_list:";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kWord)) continue;
    std::size_t count = 0;
    std::istringstream parts(line.substr(kWord.size()));  // "0-3,8"
    for (std::string part; std::getline(parts, part, ',');) {
      const std::size_t dash = part.find('-');
      const long first = std::strtol(part.c_str(), nullptr, 10);
      const long last = dash == std::string::npos ? first : std::strtol(part.c_str() + dash + 1, nullptr, 10);
      if (last >= first) count += static_cast<std::size_t>(last - first + 1);
    }
    return count;
  }
  return 0;
}

std::vector<int> socket_of_processors(const std::string& root) {
  const std::string folder = root + "/sys/devices/system/cpu";
  std::vector<int> sockets;
  for (const int processor : numbers_in(folder, "cpu")) {
    const std::string text = read_small_file(formatted("{}/cpu{}/topology/physical_package_id", folder, processor));
    if (sockets.size() <= static_cast<std::size_t>(processor)) sockets.resize(static_cast<std::size_t>(processor) + 1);
    if (!text.empty()) sockets[static_cast<std::size_t>(processor)] = std::atoi(text.c_str());
  }
  return sockets;
}

}  // namespace starling::observe
