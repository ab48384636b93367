// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// In place of src/base/own_thread.hpp: the threads of a model all run on one.
// Thread safety: that of what it replaces.
#pragma once

extern "C" const void* starling_weak_own_thread();

namespace starling {

inline const void* own_thread() noexcept { return starling_weak_own_thread(); }

}  // namespace starling
