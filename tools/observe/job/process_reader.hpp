// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What /proc tells of a rank's process that changes all the time: processor time, processor, memory.
// Thread safety: reads files only. Source: proc(5).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "observe/figures/rank_figures.hpp"

namespace starling::observe {

/// Nothing: there is no such process, or it has ended. root: the folder of /proc.
[[nodiscard]] std::optional<ProcessReading> read_process(pid_t process, const std::string& root = "/proc");

}  // namespace starling::observe
