// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The environment of a rank: ours, what the command sets, and the launcher's own variables.
// Thread safety: a value type.
#pragma once

#include <string>
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

}  // namespace starling::launch
