// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Finds the program that a command names, the way a shell does, and says clearly why there is none.
// Thread safety: reads the environment and the file system.
#pragma once

#include <string>

#include "launch/options/job_spec.hpp"

namespace starling::launch {

inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

struct Program {
  std::string path;     ///< what to execute, valid in the folder where the program will run
  int exit_code = 0;    ///< 0: found; else the exit status of the launcher
  std::string problem;  ///< why not, and what to do
};

/// The program in one of these folders, divided by ":", else where find_program() looks, else in the folder itself.
[[nodiscard]] Program find_program_in(const std::string& folders, const std::string& name, const std::string& folder);

/// The program of an application, with its own folders to search before those of PATH.
[[nodiscard]] Program find_program_of(const Application& application);

/// Looks the name up along PATH unless it contains a slash; a relative name is meant from folder (empty: here).
[[nodiscard]] Program find_program(const std::string& name, const std::string& folder);

/// Why executing a program that is there failed with this errno; a relative path is meant from folder (empty: here).
[[nodiscard]] std::string explain_exec_failure(const std::string& path, const std::string& folder, int error);

}  // namespace starling::launch
