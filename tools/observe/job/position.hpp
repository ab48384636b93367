// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where a process is in its program, from the helper starling-symbolize, which reads debug information.
// Thread safety: starts a process, which it waits for.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace starling::observe {

/// "solver.cpp:88"; kOther with the reason where that cannot be known, or not soon enough. helper: its path.
[[nodiscard]] Result<std::string> position_of(const std::string& helper, pid_t process, std::int64_t patience_ns);

}  // namespace starling::observe
