// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Random bytes of the system, fit for secrets. Thread safety: any thread.
#pragma once

#include <cstddef>
#include <span>

#include "base/status.hpp"

namespace starling {

[[nodiscard]] Status fill_randomly(std::span<std::byte> bytes);

}  // namespace starling
