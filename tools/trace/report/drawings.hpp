// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The drawings of a report, as SVG within its page. Their colours are the page's (style.hpp).
// Thread safety: pure functions.
#pragma once

#include <string>

#include "trace/profile/profile.hpp"

namespace starling::trace::report {

/// Senders down, receivers across; the stronger the colour, the more bytes. Of many ranks several share a square.
[[nodiscard]] std::string matrix_drawing(const Profile& profile);

/// A bar for each rank: its time outside MPI and in it, by cause. Of many ranks those that wait longest.
[[nodiscard]] std::string time_drawing(const Profile& profile);

/// How many messages of which size.
[[nodiscard]] std::string size_drawing(const Profile& profile);

}  // namespace starling::trace::report
