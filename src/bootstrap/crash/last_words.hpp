// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The report that a crashing rank prints itself where no launcher of ours reads its CrashRecord.
// Thread safety: async-signal-safe; uses the stack and system calls only.
#pragma once

#include <cstdint>

#include "base/id.hpp"
#include "memory/job_segment.hpp"

namespace starling::bootstrap {

/// Prints signal, address, text and stack (file and offset of each frame) to standard error.
void print_last_words(const memory::CrashRecord& record, WorldRank rank, std::int32_t size) noexcept;

/// "SIGSEGV (invalid memory reference)" and so on; "signal" for one without a line here.
[[nodiscard]] const char* signal_name(int signal) noexcept;

}  // namespace starling::bootstrap
