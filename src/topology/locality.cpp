// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/locality.hpp"

#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/small_files.hpp"

namespace starling::topology {
namespace {

constexpr const char* kSystemRoot = "/sys/devices/system";
/// Caches of a hardware thread that the kernel may describe; there are four or five.
constexpr int kMostCaches = 16;

struct Name {
  std::string_view text;
  Level level;
};
// The first name of a level is the one that is given out.
constexpr Name kNames[] = {{"Package", Level::kPackage}, {"NUMANode", Level::kNuma},  {"L3Cache", Level::kL3},
                           {"L2Cache", Level::kL2},      {"L1Cache", Level::kL1},     {"Core", Level::kCore},
                           {"PU", Level::kThread},       {"Socket", Level::kPackage}, {"L1dCache", Level::kL1}};

std::int32_t number_in(const std::string& path) {
  const std::string text = read_small_file(path);
  std::int32_t number = Locality::kNone;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// An object is named by the first of its hardware threads.
std::int32_t first_of_list(const std::string& path) {
  const std::vector<unsigned> threads = internal::parse_list(read_small_file(path));
  return threads.empty() ? Locality::kNone : static_cast<std::int32_t>(threads.front());
}

void read_caches(Locality& locality, const std::string& folder) {
  for (int index = 0; index < kMostCaches; ++index) {
    const std::string cache = folder + "/cache/index" + std::to_string(index);
    const std::int32_t depth = number_in(cache + "/level");
    if (depth == Locality::kNone) return;
    if (depth < 1 || depth > 3 || read_small_file(cache + "/type").starts_with("Instruction")) continue;
    const Level levels[] = {Level::kL1, Level::kL2, Level::kL3};
    locality.object[static_cast<std::size_t>(levels[depth - 1])] = first_of_list(cache + "/shared_cpu_list");
  }
}

struct FolderCloser {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// A hardware thread's folder has a link to its node.
std::int32_t node_in(const std::string& path) {
  const std::unique_ptr<DIR, FolderCloser> folder(opendir(path.c_str()));
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    const std::string_view entry_name(entry->d_name);
    std::int32_t node = Locality::kNone;
    if (!entry_name.starts_with("node")) continue;
    const auto [rest, error] = std::from_chars(entry->d_name + 4, entry->d_name + entry_name.size(), node);
    if (error == std::errc() && *rest == '\0') return node;
  }
  return Locality::kNone;
}

Locality of_thread(unsigned thread, const std::string& root) {
  const std::string folder = root + "/cpu/cpu" + std::to_string(thread);
  Locality locality;
  const auto set = [&](Level level, std::int32_t object) { locality.object[static_cast<std::size_t>(level)] = object; };
  set(Level::kPackage, number_in(folder + "/topology/physical_package_id"));
  set(Level::kNuma, node_in(folder));
  set(Level::kCore, first_of_list(folder + "/topology/thread_siblings_list"));
  set(Level::kThread, static_cast<std::int32_t>(thread));
  read_caches(locality, folder);
  return locality;
}

}  // namespace

const char* name(Level level) noexcept { return kNames[static_cast<std::size_t>(level)].text.data(); }

std::optional<Level> level_named(std::string_view wanted) noexcept {
  constexpr std::string_view kPrefix = "hwloc://";
  if (wanted.starts_with(kPrefix)) wanted.remove_prefix(kPrefix.size());
  for (const Name& known : kNames) {
    if (known.text == wanted) return known.level;
  }
  return std::nullopt;
}

Locality locality() { return internal::locality_of(affinity_threads(), kSystemRoot); }

namespace internal {

Locality locality_of(std::span<const unsigned> threads, const std::string& root) {
  if (threads.empty()) return {};
  Locality common = of_thread(threads[0], root);
  for (const unsigned thread : threads.subspan(1)) {
    const Locality other = of_thread(thread, root);
    for (std::size_t level = 0; level < kLevels; ++level) {
      if (common.object[level] != other.object[level]) common.object[level] = Locality::kNone;
    }
  }
  return common;
}

std::vector<unsigned> parse_list(std::string_view text) {
  std::vector<unsigned> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    unsigned first = 0;
    auto [rest, error] = std::from_chars(at, end, first);
    if (error != std::errc()) break;
    unsigned last = first;
    if (rest < end && *rest == '-') rest = std::from_chars(rest + 1, end, last).ptr;
    for (unsigned number = first; number <= last; ++number) numbers.push_back(number);
    at = rest < end ? rest + 1 : end;
  }
  return numbers;
}

}  // namespace internal

}  // namespace starling::topology
