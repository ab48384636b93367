// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Names as people read them.
// Thread safety: pure functions.
#pragma once

#include <string>

namespace starling::symbolize {

/// Of C++ the name with its parameters; any other as it is.
[[nodiscard]] std::string readable_name(const char* symbol);

/// "solve<double>" for "solve<double>(std::vector<double> const&)".
[[nodiscard]] std::string without_parameters(std::string name);

/// "solver.cpp" for "/home/a/solver.cpp".
[[nodiscard]] std::string last_part(const std::string& path);

}  // namespace starling::symbolize
