// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The numbers that describe one element of a datatype, and how they follow from its parts.
// Thread safety: value types. Source: MPI-5.0 chapter 5.1.6 to 5.1.8 (bounds, epsilon, true bounds).
#pragma once

#include <cstdint>

#include "datatype/types/basic.hpp"

namespace starling::datatype {

/// Everything about one element but the places of its inner gaps. Offsets and sizes in bytes, relative to the buffer's
/// address.
struct Layout {
  std::int64_t size = 0;
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_ub = 0;
  std::int64_t elements = 0;     ///< entries of the typemap
  std::uint64_t signature = 0;   ///< hash of the sequence of basic types
  Basic basic = Basic::kNone;    ///< the only basic type in it
  std::int32_t alignment = 1;    ///< strictest of its basic types
  std::int32_t depth = 0;        ///< nesting: 0 for a predefined type
  bool explicit_bounds = false;  ///< resized, or contains something resized
  bool one_run = true;           ///< the data of one element are one stretch, in order
  bool contiguous = true;        ///< the data of any number of elements are
};

/// Adds parts in typemap order and keeps the layout of all so far. Stops at the first overflow of 64 bits.
class LayoutBuilder {
 public:
  /// count elements of part, one extent apart, the first at displacement.
  void add(std::int64_t displacement, std::int64_t count, const Layout& part) noexcept;
  /// count blocks of block_length elements of part, the blocks stride bytes apart, the first at displacement.
  void add_blocks(std::int64_t displacement, std::int64_t count, std::int64_t stride, std::int64_t block_length,
                  const Layout& part) noexcept;

  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }
  /// The layout of all parts, with bounds from the data or from the markers of resized parts.
  [[nodiscard]] Layout finish() const noexcept;
  /// The same with these bounds in place of the computed ones.
  [[nodiscard]] Layout finish_resized(std::int64_t lb, std::int64_t ub) const noexcept;
  /// Whether a type may have these bounds; computes the upper one.
  [[nodiscard]] static bool bounds_fit(std::int64_t lb, std::int64_t extent, std::int64_t* ub) noexcept;

 private:
  struct Bounds {
    std::int64_t low = 0;
    std::int64_t high = 0;
    bool any = false;
  };
  /// Lowest and highest displacement at which a part stands.
  struct Reach {
    std::int64_t first;
    std::int64_t last;
  };
  [[nodiscard]] static bool stretch(Reach& reach, std::int64_t steps, std::int64_t step) noexcept;
  void widen(Bounds& bounds, const Reach& reach, std::int64_t low, std::int64_t high) noexcept;
  void append_data(std::int64_t count, const Layout& part) noexcept;

  Layout layout_;
  Bounds data_;
  Bounds markers_;
  bool overflowed_ = false;
};

/// The hash of a sequence: hash(ab) = hash(a) * base^|b| + hash(b) modulo 2^64; odd, so that the order matters.
inline constexpr std::uint64_t kSignatureBase = 0x9E3779B97F4A7C15U;

/// The hash of count repetitions of a signature of `elements` entries.
[[nodiscard]] std::uint64_t repeat_signature(std::uint64_t signature, std::int64_t elements,
                                             std::int64_t count) noexcept;

}  // namespace starling::datatype
