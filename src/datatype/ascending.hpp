// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the data of a datatype lie in memory in the order in which they travel, and without overlaps: what a file
// view needs. Thread safety: reads immutable data. Cost: O(lists in the type), never O(counts).
#pragma once

#include "datatype/datatype.hpp"

namespace starling::datatype {

enum class DataOrder : std::uint8_t {
  kAscending,    ///< each byte lies behind the one before it
  kOverlapping,  ///< no entry begins before the one before it, but some overlap
  kMixed,
};

/// For any number of elements. The type is committed. Of a type of several basic types each stretch without gaps counts
/// as one entry.
[[nodiscard]] DataOrder data_order(const Datatype& type) noexcept;

/// For any number of elements, each byte of data lies behind the one before it. The type is committed.
[[nodiscard]] inline bool is_ascending(const Datatype& type) noexcept {
  return data_order(type) == DataOrder::kAscending;
}

}  // namespace starling::datatype
