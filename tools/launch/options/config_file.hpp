// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A command in a file (-configfile): an application on each line, as it would stand between two ':' of the command
// line. Thread safety: functions of their arguments; read_config_file reads the file. Source: MPI-5.0, 11.5.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace starling::launch {

/// The file that these words name, if they are -configfile and its value.
[[nodiscard]] std::optional<std::string> config_file_in(std::span<const char* const> words);

/// The words of its command, with ':' between the applications. Blanks divide words; quotes ('...' or "...") keep them
/// together, and \ takes the next character as it is, also the end of a line; # at the beginning of a word begins a
/// comment.
Result<std::vector<std::string>> read_config_file(const std::string& path);

}  // namespace starling::launch
