// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory_map.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "base/format.hpp"

namespace starling::symbolize {

MemoryMap::MemoryMap(pid_t process) : process_(process) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::ifstream lines(formatted("/proc/{}/maps", process));
  for (std::string line; std::getline(lines, line);) {
    Mapping mapping;
    int path_at = 0;
    const int fields = std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %n",
                                   &mapping.start, &mapping.end, &mapping.offset, &mapping.inode, &path_at);
    if (fields != 4) continue;
    mapping.path = line.substr(std::min(static_cast<std::size_t>(path_at), line.size()));
    if (mapping.inode != 0 && mapping.path.ends_with(kDeleted)) {
      mapping.is_deleted = true;
      mapping.path.resize(mapping.path.size() - kDeleted.size());
    }
    mappings_.push_back(std::move(mapping));
  }
}

const Mapping* MemoryMap::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(mappings_, address, {}, &Mapping::start);
  if (after == mappings_.begin()) return nullptr;
  const Mapping& mapping = *(after - 1);
  return address < mapping.end ? &mapping : nullptr;
}

std::size_t read_memory(pid_t process, std::uint64_t address, void* bytes, std::size_t count) {
  const iovec here{bytes, count};
  const iovec there{reinterpret_cast<void*>(address), count};
  const ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace starling::symbolize
