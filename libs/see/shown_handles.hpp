// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How handles of another MPI stand in the last calls, whose reader knows the predefined ones of the MPI ABI by their
// values (api/constants.txt).
// **Thread safety**: constants. **Source**: MPI-5.0, 20.
#pragma once

#include <cstdint>

namespace starling::see {

inline constexpr std::uint32_t kShownWorld = 0x101;
inline constexpr std::uint32_t kShownSelf = 0x102;
/// From here on: what the program has made. Predefined handles are smaller.
inline constexpr std::uint32_t kFirstMadeHandle = 0x1000;

}  // namespace starling::see
