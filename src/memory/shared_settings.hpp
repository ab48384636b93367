// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What all processes of a segment do alike: the settings that the first of them leaves in the header hold for all. Text
// to this layer. Thread safety: any process at any time.
// Invariants: the text is written once, by whoever takes settings_state from kNone.
#pragma once

#include <string>

#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::memory {

/// Leaves the text for the others, unless one is there. Returns the one that is there: that of all processes.
/// kArg when the text is longer than JobHeader::kSettingsBytes.
Result<std::string> share_settings(JobSegment& segment, const std::string& text);

}  // namespace starling::memory
