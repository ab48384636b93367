// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The programs that 'starling doctor' starts in order to try something, and the lines that say what came of it.
// Thread safety: for single-threaded processes.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace starling::tools {

/// A line of the report. mark: "ok  ", "note" or "FAIL".
void print_finding(const char* mark, const std::string& what, const std::string& text);

/// Starts a program; the descriptors become its standard ones where they are given. -1: errno says why not.
pid_t start_program(const std::vector<std::string>& words, int input = -1, int output = -1, int errors = -1);

/// Ends what has been started and is not needed any more; by force where it does not end by itself.
void end_program(pid_t process);

/// What a program has written into a file.
[[nodiscard]] std::string text_of(int file);

}  // namespace starling::tools
