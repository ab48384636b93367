// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What /proc tells of processes.
// Thread safety: reads files only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starling::observe {

struct ProcessFacts {
  pid_t parent = 0;
  uid_t user = 0;
  char state = '?';                    ///< as in proc(5): Z has ended
  std::int64_t age_ns = 0;             ///< since its start
  std::string name;                    ///< which a process may choose; 15 bytes at most
  std::vector<std::string> arguments;  ///< with the program
};

/// Nothing: there is no such process.
[[nodiscard]] std::optional<ProcessFacts> process_facts(pid_t process);

/// Whether a process runs; one that has ended and is not yet waited for does not.
[[nodiscard]] bool process_runs(pid_t process);

/// The numbers of all processes that /proc shows.
[[nodiscard]] std::vector<pid_t> all_processes();

[[nodiscard]] std::vector<pid_t> children_of(pid_t process);

/// All that it has started, directly or not.
[[nodiscard]] std::vector<pid_t> descendants_of(pid_t process);

/// The text behind "Name:" in the file status of a folder of /proc; empty: there is none.
[[nodiscard]] std::string status_field(const std::string& folder, const std::string& name);

/// The number that a process, or the thread with such a folder, has for itself: another one in a container. 0: ended.
[[nodiscard]] pid_t own_number(const std::string& folder);

/// The value of a variable in the environment with which the process was started; nothing: it has none, or it may not
/// be read.
[[nodiscard]] std::optional<std::string> initial_variable(pid_t process, const std::string& name);

}  // namespace starling::observe
