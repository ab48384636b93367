// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One element's accumulate as one small function: what counters and flags need.
// Thread safety: the caller excludes others from the element.
#pragma once

#include "datatype/op/predefined_op.hpp"
#include "datatype/types/basic.hpp"

namespace starling::rma {

/// *result = *at; *at = *origin OP *at. `origin` may be null where the operator does not look at it.
using Combine = void (*)(const void* origin, void* at, void* result) noexcept;

/// The function for an operator on a type of 4 or 8 bytes that dominates, or null: use the general way.
[[nodiscard]] Combine find_combine(datatype::PredefinedOp op, datatype::Basic type) noexcept;

/// Bytes of data of a predefined type, and from one element to the next; equal but for some pair types.
[[nodiscard]] inline bool has_gaps(const datatype::BasicInfo& info) noexcept { return info.size != info.extent; }

}  // namespace starling::rma
