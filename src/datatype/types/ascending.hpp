// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the data of a datatype lie in memory in the order in which they travel, and without overlaps: what makes it a
// filetype. Thread safety: reads immutable data. Cost: O(lists in the type), never O(counts).
#pragma once

#include "datatype/types/datatype.hpp"

namespace starling::datatype {

enum class DataOrder : std::uint8_t {
  kAscending,    ///< each byte lies behind the one before it
  kOverlapping,  ///< no entry begins before the one before it, but some overlap
  kMixed,
};

/// Of one element. The type is committed. Of a type of several basic types each stretch without gaps counts as one
/// entry.
[[nodiscard]] DataOrder data_order(const Datatype& type) noexcept;

/// Whether each element begins behind the data of the one before it.
[[nodiscard]] inline bool tiles_apart(const Datatype& type) noexcept {
  return type.extent() >= type.true_ub() - type.true_lb();
}

}  // namespace starling::datatype
