// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// starling-symbolize --stacks <rank>:<process>...: the stacks of running processes, in the text of
// observe/stack/stack.hpp.
#pragma once

#include <span>
#include <string>

namespace starling::symbolize {

/// Prints them. The exit status: 2 for arguments that are none. What is wrong with a process stands in the text.
int print_stacks(std::span<const char* const> arguments);

/// starling-symbolize --position <process>: where the main thread of a process is in its program. Prints
/// "solver.cpp:88", or "compute()" where there is no line information, or says on standard error why that cannot be
/// known. The exit status.
int print_position(const std::string& process);

}  // namespace starling::symbolize
