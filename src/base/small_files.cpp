// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/small_files.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>

#include "base/descriptor.hpp"

namespace starling {

std::string read_small_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char buffer[4096];
  const ssize_t length = read(file, buffer, sizeof buffer);
  close(file);
  return length > 0 ? std::string(buffer, static_cast<std::size_t>(length)) : std::string();
}

std::string read_whole_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file.valid()) return text;
  char buffer[4096];
  for (;;) {
    const ssize_t length = read(file.get(), buffer, sizeof buffer);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(length));
  }
}

std::vector<unsigned> affinity_threads() {
  std::vector<unsigned> threads;
  // A machine with more hardware threads than cpu_set_t has bits refuses the small mask with EINVAL.
  for (std::size_t bits = 1024; bits <= 1024 * 1024; bits *= 4) {
    std::vector<unsigned long> mask(bits / (8 * sizeof(unsigned long)));
    auto* set = reinterpret_cast<cpu_set_t*>(mask.data());
    const std::size_t bytes = mask.size() * sizeof(unsigned long);
    if (sched_getaffinity(0, bytes, set) != 0) continue;
    for (unsigned thread = 0; thread < bits; ++thread) {
      if (CPU_ISSET_S(thread, bytes, set)) threads.push_back(thread);
    }
    break;
  }
  return threads;
}

}  // namespace starling
