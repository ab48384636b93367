// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What to try next: sentences that follow from a profile, the most promising first.
// Thread safety: pure function.
#pragma once

#include <string>
#include <vector>

#include "trace/profile/profile.hpp"

namespace starling::trace::report {

[[nodiscard]] std::vector<std::string> advice(const Profile& profile);

}  // namespace starling::trace::report
