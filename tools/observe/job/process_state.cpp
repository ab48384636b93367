// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/job/process_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/descriptor.hpp"
#include "base/format.hpp"

namespace starling::observe {
namespace {

/// The beginning of a small file of /proc; empty: there is none.
std::string beginning_of(pid_t process, const char* name) {
  const Descriptor file(open(formatted("/proc/{}/{}", process, name).c_str(), O_RDONLY | O_CLOEXEC));
  char text[256];
  const ssize_t count = file.valid() ? read(file.get(), text, sizeof text) : 0;
  return count > 0 ? std::string(text, static_cast<std::size_t>(count)) : std::string();
}

}  // namespace

bool is_stopped(pid_t process) {
  const std::string stat = beginning_of(process, "stat");
  const std::size_t behind_name = stat.rfind(") ");
  if (behind_name == std::string::npos || behind_name + 2 >= stat.size()) return false;
  const char state = stat[behind_name + 2];
  return state == 'T' || state == 't';
}

std::optional<ProcessorUse> processor_use(pid_t process) {
  const std::string text = beginning_of(process, "schedstat");
  char* behind = nullptr;
  ProcessorUse use;
  use.ran_ns = std::strtoll(text.c_str(), &behind, 10);
  if (behind == text.c_str() || use.ran_ns == 0) return std::nullopt;
  use.queued_ns = std::strtoll(behind, nullptr, 10);
  return use;
}

}  // namespace starling::observe
