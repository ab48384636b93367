// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the launcher says of a job that does not get on: the sentence of `starling why`, and what each rank does.
// Thread safety: pure functions.
#pragma once

#include <string>

#include "launch/options/watch_options.hpp"
#include "observe/analysis/note_rules.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::launch {

/// Whether the user wants to be told of it.
[[nodiscard]] bool has_note(observe::Occasion occasion, const WatchSettings& settings) noexcept;

/// Whole lines. Of a deadlock that ends the job they say that.
[[nodiscard]] std::string hang_words(observe::Occasion occasion, const observe::Snapshot& snapshot,
                                     const WatchSettings& settings);

/// The same of a job at whatever moment: a sentence with a full stop, and a line for ranks that do the same, indented.
[[nodiscard]] std::string state_words(const observe::Snapshot& snapshot);

/// That the time limit is over, with these words about the job.
[[nodiscard]] std::string timeout_words(double timeout_s, const std::string& state);

}  // namespace starling::launch
