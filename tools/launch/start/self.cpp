// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/start/self.hpp"

#include <limits.h>
#include <unistd.h>

namespace starling::launch {

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::string find_helper(const std::string& name) {
  const std::string self = own_path();
  if (self.empty()) return {};
  const std::string folder = self.substr(0, self.rfind('/'));
  for (const std::string& candidate : {folder + "/" + name, folder + "/../libexec/starling/" + name}) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace starling::launch
