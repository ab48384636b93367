// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Quantities as a person reads them: "1.9 s", "23 us", "2.0 KiB", "12,345".
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

namespace starling::trace {

[[nodiscard]] std::string time_text(std::int64_t ns);
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
[[nodiscard]] std::string count_text(std::uint64_t count);
/// "45 %"; "-" of nothing.
[[nodiscard]] std::string share_text(std::int64_t part, std::int64_t whole);

}  // namespace starling::trace
