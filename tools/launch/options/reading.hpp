// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Reading: the command line as far as it has been read, which each option changes. Thread safety: a value.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/options/job_spec.hpp"

namespace starling::launch {

/// Options of one application go to `application`, the others to `spec`.
struct Reading {
  /// What options that may be said once were given, by their first names.
  using Given = std::map<std::string_view, std::vector<std::string>>;

  JobSpec spec;
  Application application;
  std::vector<EnvironmentSetting> everywhere;  ///< -genv: for all applications, also those already read
  std::vector<std::string> host_files;         ///< that have been read
  std::string soft;                            ///< the numbers of ranks that -soft allows the application
  bool copies_program = false;                 ///< --preload-binary
  Given given;                                 ///< for the job
  Given given_here;                            ///< for the application
  std::optional<bool> whole_environment;       ///< that the programs get; none: nothing was said
  std::string slots_by;                        ///< the option that said whether ranks may exceed the slots
  std::string dealt_by;                        ///< the option that said how ranks are dealt to hosts
};

}  // namespace starling::launch
