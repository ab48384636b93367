// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Settings of the launcher alone. Declared here, because the library must know each variable that the launcher reads: a
// rank finds it in its environment as well. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"
#include "config/config.hpp"

namespace starling::bootstrap {

/// How long a host may take for a step of the start of a job on several hosts.
[[nodiscard]] std::int64_t start_deadline_ms(const config::Store& config);
/// Refuses a time in which no host could do a step, or longer than an hour.
[[nodiscard]] Status check_start_deadline(const config::Store& config);

/// The command that reaches other hosts; empty: what is usual where the launcher runs.
[[nodiscard]] const std::string& remote_shell(const config::Store& config);

/// What the launcher does about a deadlock: "say", "end" or "nothing", or what is none of them.
[[nodiscard]] const std::string& on_deadlock(const config::Store& config);
/// How long a rank may keep others waiting before the launcher says so; 0: for ever.
[[nodiscard]] std::int64_t note_after_ms(const config::Store& config);
/// After how long the launcher says that nothing completes.
[[nodiscard]] std::int64_t still_after_ms(const config::Store& config);

}  // namespace starling::bootstrap
