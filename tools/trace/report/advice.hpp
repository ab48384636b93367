// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What to try next: sentences that follow from a profile, the most promising first.
// Thread safety: pure function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/profile/profile.hpp"

namespace starling::trace::report {

/// cores: usable ones of each host; 0: not known.
[[nodiscard]] std::vector<std::string> advice(const Profile& profile, std::int32_t cores);

}  // namespace starling::trace::report
