// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the data of a datatype lie in memory in the order in which they travel, without overlaps: what a file view
// needs. Thread safety: reads immutable data. Cost: O(lists in the type), never O(counts).
#pragma once

#include "datatype/datatype.hpp"

namespace starling::datatype {

/// For any number of elements, each byte of data lies behind the one before it. The type is committed.
[[nodiscard]] bool is_ascending(const Datatype& type) noexcept;

}  // namespace starling::datatype
