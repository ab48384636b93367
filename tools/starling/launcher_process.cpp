// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launcher_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "bootstrap/environment.hpp"

namespace starling::tools {

void open_missing_standard_descriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

void close_outer_job() {
  for (const char* variable : {bootstrap::kSegmentVariable, bootstrap::kEventVariable, bootstrap::kCardVariable}) {
    if (const char* text = std::getenv(variable)) fcntl(std::atoi(text), F_SETFD, FD_CLOEXEC);
  }
}

void take_worker_title(Arguments arguments) {
  constexpr std::string_view kTitle = "starling-job";
  char* const begin = const_cast<char*>(arguments.front());  // the process's own argument memory, which main may change
  const char* const last = arguments.back();
  const std::size_t room = static_cast<std::size_t>(last + std::strlen(last) - begin);
  std::memset(begin, 0, room);
  std::memcpy(begin, kTitle.data(), std::min(room, kTitle.size()));
}

}  // namespace starling::tools
