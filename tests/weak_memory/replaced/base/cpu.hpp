// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// In place of src/base/cpu.hpp: a thread of a model that spins has looked in vain.
// Thread safety: that of what it replaces.
#pragma once

#define cpu_relax cpu_relax_of_product
#include "../../../../src/base/cpu.hpp"  // IWYU pragma: export
#undef cpu_relax

extern "C" void starling_weak_spin();

namespace starling {

inline void cpu_relax() noexcept { starling_weak_spin(); }

}  // namespace starling
