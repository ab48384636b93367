// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Stacks as users want to see them first: their own functions, and of libraries the function that they have called.
// Thread safety: pure functions.
#pragma once

#include <string>
#include <vector>

#include "observe/stack/stack.hpp"

namespace starling::observe {

/// Without what starts a program or a thread; of the MPI library and of the system's libraries only the functions that
/// were called from elsewhere; Python's functions in place of its interpreter's.
[[nodiscard]] std::vector<StackFrame> shortened(const std::vector<StackFrame>& frames);

/// Whether a thread sleeps in libraries that have threads of their own, and in no function of the user's.
[[nodiscard]] bool sleeps_outside_the_program(const ThreadStack& thread);

/// "solve at solver.cpp:88", "solve", "solver+0x11a9" where it has no name.
[[nodiscard]] std::string frame_text(const StackFrame& frame);

}  // namespace starling::observe
