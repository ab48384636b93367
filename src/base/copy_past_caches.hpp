// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A copy that does not read what it overwrites: the target's lines go to memory without being fetched first.
//
// For memory that another core has read before and reads next. A store through the cache asks that core for each line,
// and later that core asks for it back: two transfers for each line, of which a core has about a dozen under way.
// Stores past the cache ask no core, and the reader's prefetchers fetch consecutive memory in order.
//
// In a file of its own, for src/simulate has another one.
//
// Thread safety: as of memcpy, and the copy is complete before any later store of this thread is seen.
// Invariants: `to` is aligned to 16 bytes; the two do not overlap.
#pragma once

#include <cstddef>

namespace starling {

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace starling
