// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Stripes: where the bytes of a piece of a view lie in the file, in the few words that a regular pattern needs.
//
// An aggregator gets them with the data of each rank and moves the data between them and its window.
// Thread safety: value types. Invariants: stripes follow the order of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/view/view.hpp"

namespace starling::io {

/// `count` stretches of `bytes` bytes, `stride` bytes apart, the first at an offset of the file.
struct Stripe {
  std::int64_t offset;
  std::int64_t bytes;
  std::int64_t count;
  std::int64_t stride;

  [[nodiscard]] std::int64_t end() const noexcept { return offset + (count - 1) * stride + bytes; }
};
static_assert(sizeof(Stripe) == 32, "stripes travel between ranks");

/// The stripes of `bytes` positions from the given one.
[[nodiscard]] std::vector<Stripe> stripes_of(const View& view, std::int64_t position, std::int64_t bytes);

/// Moves the data of the stripes between a window, whose first byte is that of `base` in the file, and packed bytes.
void scatter(const std::vector<Stripe>& stripes, const std::byte* packed, std::byte* window,
             std::int64_t base) noexcept;
void gather(const std::vector<Stripe>& stripes, const std::byte* window, std::int64_t base, std::byte* packed) noexcept;

}  // namespace starling::io
