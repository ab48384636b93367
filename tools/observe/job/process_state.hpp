// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the scheduler says of a process: whether somebody has stopped it, and how much of its time it ran.
// Thread safety: reads /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace starling::observe {

/// Stopped by a signal or by a debugger. False as well where that cannot be known.
[[nodiscard]] bool is_stopped(pid_t process);

/// It has ended, or all its threads are about to: the system closes the files of a process, by which others learn of
/// its end, before it says so to those who watch the process.
[[nodiscard]] bool is_ending(pid_t process);

/// Whether a thread of it runs at the moment, or would, had it a core.
[[nodiscard]] bool has_running_thread(pid_t process);

/// Of the main thread, since its start.
struct ProcessorUse {
  std::int64_t ran_ns = 0;
  std::int64_t queued_ns = 0;  ///< it would have run, had there been a core
};

/// Nothing: the system does not tell.
[[nodiscard]] std::optional<ProcessorUse> processor_use(pid_t process);

}  // namespace starling::observe
