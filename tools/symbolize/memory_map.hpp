// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MemoryMap: which files a process has mapped where, and its memory, read from outside.
// Thread safety: none.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starling::symbolize {

struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t inode = 0;   ///< 0: no file
  std::string path;          ///< as the process sees it; "[stack]", "[vdso]"
  bool is_deleted = false;   ///< the path leads to another file now, or to none
};

class MemoryMap {
 public:
  explicit MemoryMap(pid_t process);

  /// Nothing could be read: the process has ended, or it may not be looked into.
  [[nodiscard]] bool empty() const noexcept { return mappings_.empty(); }
  [[nodiscard]] const Mapping* find(std::uint64_t address) const;
  [[nodiscard]] const std::vector<Mapping>& mappings() const noexcept { return mappings_; }
  [[nodiscard]] pid_t process() const noexcept { return process_; }

 private:
  pid_t process_;
  std::vector<Mapping> mappings_;
};

/// How many bytes of the process's memory could be read; it need not be stopped.
[[nodiscard]] std::size_t read_memory(pid_t process, std::uint64_t address, void* bytes, std::size_t count);

template <typename T>
[[nodiscard]] std::optional<T> read_value(pid_t process, std::uint64_t address) {
  T value{};
  if (read_memory(process, address, &value, sizeof value) != sizeof value) return std::nullopt;
  return value;
}

}  // namespace starling::symbolize
