// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Descriptor, by the name that the launcher knows it by. Thread safety: a value type, no shared state.
#pragma once

#include "base/descriptor.hpp"

namespace starling::bootstrap {

using starling::Descriptor;

}  // namespace starling::bootstrap
