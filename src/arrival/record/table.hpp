// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The late-rank table as text.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "arrival/record/lateness.hpp"
#include "arrival/record/recorder.hpp"

namespace starling::arrival {

/// Two lines: what the table is, and the names of its columns.
[[nodiscard]] std::string table_head();

/// Of one kind of call, and below it the patterns in which its ranks came and left; `site` is where the program goes on
/// after it.
[[nodiscard]] std::string line_of(const void* site, const char* operation, std::int64_t bytes,
                                  const CallSummary& summary);

/// A line for each call site that was noted. `cycle_s` is how long a cycle of the counter takes.
[[nodiscard]] std::string lines_of(const Recorder& recorder, double cycle_s);

}  // namespace starling::arrival
