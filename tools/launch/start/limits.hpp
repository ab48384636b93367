// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The limits that a job may meet, by name and value: what a user needs to know when one of them is in the way.
// Thread safety: reads the process's limits and /proc.
#pragma once

#include <cstdint>
#include <string>

namespace starling::launch {

/// What an error of a system call says, and where a limit is behind it which one, its value, and what to do.
[[nodiscard]] std::string explain_error(int error);

/// Why so many ranks cannot be started with this process's hard limit on open files; empty when they can. Raises the
/// soft limit as far as is needed.
[[nodiscard]] std::string allow_files_for(std::uint32_t ranks);

/// Raises the soft limit on open files as far as it goes, for an agent: its ranks listen at each address of the host.
void allow_all_files() noexcept;

}  // namespace starling::launch
