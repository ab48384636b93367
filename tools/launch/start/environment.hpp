// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The environment of a rank: ours, what the command sets, and the launcher's own variables; and what of it goes to
// other hosts: everything but what describes a host, a user there or a login (HOSTNAME, HOME, USER, TMPDIR, DISPLAY,
// SSH_..., XDG_... and so on). Those stay as each host has them.
// Thread safety: a value type; adopt_environment() changes the process's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/options/job_spec.hpp"

namespace starling::launch {

class Environment {
 public:
  /// A copy of ours without what an outer job left in it, or an empty one.
  static Environment inherited(bool empty);

  void set(const std::string& name, const std::string& value);
  void set_all(const std::vector<EnvironmentSetting>& settings);

  /// For execve: valid until the next change.
  [[nodiscard]] char* const* pointers();

 private:
  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

/// Whether a variable tells of the host, so that one of another host would mislead.
[[nodiscard]] bool describes_host(std::string_view name);
/// Our variables that the ranks on other hosts get, too: "NAME=VALUE".
[[nodiscard]] std::vector<std::string> environment_for_other_hosts();
/// Makes these variables the environment of this process, beside those of its own that describe the host.
void adopt_environment(const std::vector<std::string>& entries);

}  // namespace starling::launch
