// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/process_facts.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/format.hpp"
#include "base/small_files.hpp"

namespace starling::observe {
namespace {

/// The words between zero bytes; those that are empty, as an overwritten title has, are left out.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, '\0');) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

}  // namespace

std::optional<ProcessFacts> process_facts(pid_t process) {
  const std::string folder = formatted("/proc/{}", process);
  const std::string stat_text = read_whole_file(folder + "/stat");
  const std::size_t behind_name = stat_text.rfind(')');
  struct stat info {};
  if (behind_name == std::string::npos || stat(folder.c_str(), &info) != 0) return std::nullopt;
  ProcessFacts facts;
  const std::size_t name = stat_text.find('(') + 1;
  facts.name = stat_text.substr(name, behind_name - name);
  std::istringstream fields(stat_text.substr(behind_name + 1));
  fields >> facts.state >> facts.parent;
  constexpr int kBetween = 17;  // fields 5 to 21 of proc(5); the start is the 22nd
  std::string skipped;
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  std::int64_t start_ticks = 0;
  fields >> start_ticks;
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  timespec since_boot{};
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  const std::int64_t now = since_boot.tv_sec * kNsPerSecond + since_boot.tv_nsec;
  facts.age_ns = now - start_ticks * (kNsPerSecond / sysconf(_SC_CLK_TCK));
  facts.user = info.st_uid;
  facts.arguments = words_of(read_whole_file(folder + "/cmdline"));
  return facts;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  DIR* const entries = opendir("/proc");
  if (entries == nullptr) return found;
  while (const dirent* const entry = readdir(entries)) {
    const int number = std::atoi(entry->d_name);
    if (number > 0) found.push_back(number);
  }
  closedir(entries);
  return found;
}

std::vector<pid_t> children_of(pid_t process) {
  std::istringstream numbers(read_whole_file(formatted("/proc/{}/task/{}/children", process, process)));
  return {std::istream_iterator<pid_t>(numbers), std::istream_iterator<pid_t>()};
}

std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> found = children_of(process);
  for (std::size_t at = 0; at < found.size(); ++at) {
    const std::vector<pid_t> more = children_of(found[at]);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

std::string status_field(const std::string& folder, const std::string& name) {
  std::ifstream lines(folder + "/status");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name + ":")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
    return begin == std::string::npos ? std::string() : line.substr(begin);
  }
  return {};
}

pid_t own_number(const std::string& folder) {
  const std::string numbers = status_field(folder, "NSpid");
  const std::size_t last = numbers.find_last_of(" \t");
  return std::atoi(numbers.c_str() + (last == std::string::npos ? 0 : last + 1));
}

std::optional<std::string> initial_variable(pid_t process, const std::string& name) {
  for (const std::string& word : words_of(read_whole_file(formatted("/proc/{}/environ", process)))) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return std::nullopt;
}

bool process_runs(pid_t process) {
  const std::optional<ProcessFacts> facts = process_facts(process);
  return facts && facts->state != 'Z' && facts->state != 'X';
}

}  // namespace starling::observe
