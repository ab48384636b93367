// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How far apart two names are, for messages that ask "did you mean ...?". Thread safety: a pure function.
#pragma once

#include <cstddef>
#include <string_view>

namespace starling {

/// The number of characters to insert, delete or replace that makes one of the other (Levenshtein's distance).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace starling
