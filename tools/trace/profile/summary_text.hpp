// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A profile as a page for a terminal.
// Thread safety: pure function.
#pragma once

#include <string>

#include "trace/profile/profile.hpp"

namespace starling::trace {

[[nodiscard]] std::string summary_text(const Profile& profile);

}  // namespace starling::trace
