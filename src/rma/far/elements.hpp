// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Combines elements that a request names with those of this rank's memory. Thread safety: the caller holds the lock of
// the rank's accumulates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rma/far/far_message.hpp"

namespace starling::rma {

/// The elements of the combs become operand OP themselves. operand: packed, null where the operator looks at none.
void combine(const FarRequest& request, std::span<const Comb> combs, std::uint64_t base, const std::byte* operand);

}  // namespace starling::rma
