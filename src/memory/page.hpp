// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The unit in which memory is shared and given real pages.
#pragma once

#include <cstdint>

namespace starling::memory {

/// Bytes. What the machines have that Starling runs on; a larger page only makes some sizes round up twice.
inline constexpr std::uint64_t kPage = 4096;

}  // namespace starling::memory
