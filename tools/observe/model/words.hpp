// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks, and lists, as a sentence has them: "0 to 3, 5 and 8".
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starling::observe {

/// "a", "a and b", "a, b and c"; the last word may be another: "a or b".
[[nodiscard]] std::string join(std::span<const std::string> parts, const char* last_word = "and");

/// "4", "3 and 4", "0 to 3", "0 to 3, 5 and 8", in order. Long sets are cut: "0, 2, 4, 6, 8, 10, 12 and 25 more".
[[nodiscard]] std::string rank_numbers(std::vector<std::int32_t> ranks, const char* last_word = "and");

/// "rank 4", "ranks 0 to 3".
[[nodiscard]] std::string rank_names(std::vector<std::int32_t> ranks);

/// "0.3 s", "41 s", "12 min", "3 h".
[[nodiscard]] std::string duration_text(std::int64_t ns);

}  // namespace starling::observe
