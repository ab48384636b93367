// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The unit in which memory is shared and given real pages.
#pragma once

#include <cstdint>

namespace starling::memory {

/// Bytes, as on the machines that Starling runs on. A larger page only makes some sizes round up twice.
inline constexpr std::uint64_t kPage = 4096;

}  // namespace starling::memory
