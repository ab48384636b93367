// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/self.hpp"

#include <limits.h>
#include <unistd.h>

namespace starling::launch {

std::string find_helper(const std::string& name) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  const std::string self(path, static_cast<std::size_t>(length));
  const std::string folder = self.substr(0, self.rfind('/'));
  for (const std::string& candidate : {folder + "/" + name, folder + "/../libexec/starling/" + name}) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace starling::launch
