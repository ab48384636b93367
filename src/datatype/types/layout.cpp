// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/types/layout.hpp"

#include <algorithm>

namespace starling::datatype {
namespace {

// Bounds stay within this, so that the difference of any two, rounded up, still fits 64 bits.
constexpr std::int64_t kLimit = std::int64_t{1} << 62;

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) noexcept {
  std::uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

std::uint64_t repeat_signature(std::uint64_t signature, std::int64_t elements, std::int64_t count) noexcept {
  // hash(ab) = hash(a) * base^|b| + hash(b); doubling the repeated part makes this logarithmic in count.
  std::uint64_t shift = power(kSignatureBase, static_cast<std::uint64_t>(elements));
  std::uint64_t result = 0;
  for (auto left = static_cast<std::uint64_t>(count); left != 0; left >>= 1) {
    if ((left & 1) != 0) result = result * shift + signature;
    signature = signature * shift + signature;
    shift *= shift;
  }
  return result;
}

void LayoutBuilder::add(std::int64_t displacement, std::int64_t count, const Layout& part) noexcept {
  add_blocks(displacement, 1, 0, count, part);
}

void LayoutBuilder::add_blocks(std::int64_t displacement, std::int64_t count, std::int64_t stride,
                               std::int64_t block_length, const Layout& part) noexcept {
  if (overflowed_) return;
  layout_.depth = std::max(layout_.depth, part.depth);
  if (count == 0 || block_length == 0) return;
  const std::int64_t extent = part.ub - part.lb;
  std::int64_t total = 0;
  Reach reach{displacement, displacement};
  if (__builtin_mul_overflow(count, block_length, &total) || !stretch(reach, count - 1, stride) ||
      !stretch(reach, block_length - 1, extent)) {
    overflowed_ = true;
    return;
  }
  if (part.elements != 0) {
    const bool block_is_run = block_length == 1 ? part.one_run : part.contiguous;
    const bool dense = block_is_run && (count == 1 || stride == block_length * part.size);
    const bool follows = layout_.elements == 0 || displacement + part.true_lb == data_.high;
    layout_.one_run = layout_.one_run && dense && follows;
    widen(data_, reach, part.true_lb, part.true_ub);
    append_data(total, part);
  }
  if (part.explicit_bounds) widen(markers_, reach, part.lb, part.ub);
}

bool LayoutBuilder::stretch(Reach& reach, std::int64_t steps, std::int64_t step) noexcept {
  std::int64_t last = 0;
  if (__builtin_mul_overflow(steps, step, &last)) return false;
  std::int64_t& end = last < 0 ? reach.first : reach.last;
  return !__builtin_add_overflow(end, last, &end);
}

void LayoutBuilder::widen(Bounds& bounds, const Reach& reach, std::int64_t low, std::int64_t high) noexcept {
  if (__builtin_add_overflow(low, reach.first, &low) || __builtin_add_overflow(high, reach.last, &high) ||
      low < -kLimit || high > kLimit) {
    overflowed_ = true;
    return;
  }
  bounds.low = bounds.any ? std::min(bounds.low, low) : low;
  bounds.high = bounds.any ? std::max(bounds.high, high) : high;
  bounds.any = true;
}

void LayoutBuilder::append_data(std::int64_t count, const Layout& part) noexcept {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, part.size, &bytes) || __builtin_add_overflow(layout_.size, bytes, &layout_.size)) {
    overflowed_ = true;
    return;
  }
  if (layout_.elements == 0) {
    layout_.basic = part.basic;
  } else if (layout_.basic != part.basic) {
    layout_.basic = Basic::kNone;
  }
  layout_.alignment = std::max(layout_.alignment, part.alignment);
  // Entries never outnumber bytes, so what holds for size holds for these.
  const std::int64_t entries = count * part.elements;
  layout_.signature = layout_.signature * power(kSignatureBase, static_cast<std::uint64_t>(entries)) +
                      repeat_signature(part.signature, part.elements, count);
  layout_.elements += entries;
}

Layout LayoutBuilder::finish() const noexcept {
  Layout layout = layout_;
  layout.true_lb = data_.low;
  layout.true_ub = data_.high;
  layout.explicit_bounds = markers_.any;
  layout.depth += 1;
  if (markers_.any) {
    layout.lb = markers_.low;
    layout.ub = markers_.high;
  } else {
    const std::int64_t alignment = layout.alignment;
    layout.lb = data_.low;
    layout.ub = data_.low + (data_.high - data_.low + alignment - 1) / alignment * alignment;
  }
  layout.contiguous = layout.one_run && layout.ub - layout.lb == layout.size;
  return layout;
}

Layout LayoutBuilder::finish_resized(std::int64_t lb, std::int64_t ub) const noexcept {
  Layout layout = finish();
  layout.lb = lb;
  layout.ub = ub;
  layout.explicit_bounds = true;
  layout.contiguous = layout.one_run && ub - lb == layout.size;
  return layout;
}

bool LayoutBuilder::bounds_fit(std::int64_t lb, std::int64_t extent, std::int64_t* ub) noexcept {
  return !__builtin_add_overflow(lb, extent, ub) && lb >= -kLimit && lb <= kLimit && *ub >= -kLimit && *ub <= kLimit;
}

}  // namespace starling::datatype
