// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// In place of src/rma/target/spins.hpp: each look at memory is a step, and more of them before the patience ends would
// show nothing else.
// Thread safety: that of what it replaces.
#pragma once

#include <cstdint>

namespace starling::rma {

inline constexpr std::uint32_t kSpinsPerLook = 1;

}  // namespace starling::rma
