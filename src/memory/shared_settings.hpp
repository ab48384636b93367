// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Settings that all processes of a segment have alike: those that the first process leaves in the header. To this layer
// they are text. Thread safety: any process at any time.
// Invariants: the text is written once, by the process that takes settings_state from kNone.
#pragma once

#include <string>

#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::memory {

/// Leaves the text for the other processes, unless there is one. Returns the text that holds for all processes.
/// kArg when the text is longer than JobHeader::kSettingsBytes.
Result<std::string> share_settings(JobSegment& segment, const std::string& text);

}  // namespace starling::memory
