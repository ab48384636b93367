// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A profile as one page of HTML that needs nothing else: no network, no script.
// Thread safety: pure function.
#pragma once

#include <cstdint>
#include <string>

#include "trace/profile/profile.hpp"

namespace starling::trace::report {

[[nodiscard]] std::string page(const Profile& profile);

}  // namespace starling::trace::report
