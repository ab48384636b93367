// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Strips: where the bytes of a piece of a view lie in the file, in the few words that a regular pattern needs.
//
// An aggregator gets them with the data of each rank and moves the data between them and its window.
// Thread safety: value types. Invariants: strips follow the order of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/view/view.hpp"

namespace starling::io {

/// `count` stretches of `bytes` bytes, `stride` bytes apart, the first at an offset of the file.
struct Strip {
  std::int64_t offset;
  std::int64_t bytes;
  std::int64_t count;
  std::int64_t stride;

  [[nodiscard]] std::int64_t end() const noexcept { return offset + (count - 1) * stride + bytes; }
};
static_assert(sizeof(Strip) == 32, "strips travel between ranks");

/// The strips of `bytes` positions from the given one.
[[nodiscard]] std::vector<Strip> strips_of(const View& view, std::int64_t position, std::int64_t bytes);

/// Moves the data of the strips between a window, whose first byte is that of `base` in the file, and packed bytes.
void scatter(const std::vector<Strip>& strips, const std::byte* packed, std::byte* window, std::int64_t base) noexcept;
void gather(const std::vector<Strip>& strips, const std::byte* window, std::int64_t base, std::byte* packed) noexcept;

}  // namespace starling::io
