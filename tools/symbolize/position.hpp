// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where a running process is in its program: the innermost frame of its main thread that belongs to the executable.
// Source: libdwfl of elfutils (its header documents the calls).
#pragma once

#include <string>

/// The whole of starling-symbolize --position: prints "solver.cpp:88", or "compute()" where there is no line
/// information, or says on standard error why that cannot be known. The exit status.
int print_position(const std::string& process);
