// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What /proc tells of threads, and why one may not be traced.
// Thread safety: reads files only.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace starling::symbolize {

/// The numbers of its threads, the main one first; empty: it has ended.
[[nodiscard]] std::vector<pid_t> threads_of(pid_t process);

/// R, S and so on, as in proc(5).
[[nodiscard]] char state_of(pid_t process, pid_t thread);
[[nodiscard]] std::string name_of(pid_t process, pid_t thread);

/// Why ptrace has refused a thread: a sentence about its process, "gdb (process 71) traces it". error: of errno.
[[nodiscard]] std::string refusal(pid_t process, pid_t thread, int error);

}  // namespace starling::symbolize
