// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Counts what goes between elements, for the strategies that weigh links. A message between elements of one array is a
// link of its sender. Of a message between two arrays both hear, if they measure, since elements of the other one stay
// where they are in its balancing step: it is a link of the sender, and a visit at the receiver's array. What main
// sends is a visit. An answer counts as a message of its caller, when it comes.
//
// **Thread safety**: none. **Invariants**: called only where some array measures links (Host::arrays_with_links).
#pragma once

#include "futures.hpp"

namespace starling::array::detail {

/// A message to an element of an array from what runs now, with a future for its answer or 0.
void count_link(Futures& futures, ArrayCore& to, const Index& index, std::uint32_t reply, std::size_t bytes);
/// The answer to a call came.
void count_reply(Futures& futures, std::uint32_t slot, std::size_t bytes);

}  // namespace starling::array::detail
