// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How often an origin that waits for a target looks at memory before it looks at the clock, which costs as much as many
// looks. Nothing but speed depends on it: models of tests/weak_memory look at the clock each time.
// Thread safety: a constant.
#pragma once

#include <cstdint>

namespace starling::rma {

inline constexpr std::uint32_t kSpinsPerLook = 64;

}  // namespace starling::rma
