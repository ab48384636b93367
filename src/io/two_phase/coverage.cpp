// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/coverage.hpp"

#include <algorithm>
#include <bit>

namespace starling::io {
namespace {

constexpr std::int64_t kBits = 64;
constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

void Coverage::reset(std::int64_t bytes) {
  bytes_ = bytes;
  words_.assign(static_cast<std::size_t>((bytes + kBits - 1) / kBits), 0);
}

void Coverage::add(std::int64_t first, std::int64_t bytes) noexcept {
  const std::int64_t last = first + bytes - 1;
  const auto word = static_cast<std::size_t>(first / kBits);
  const auto last_word = static_cast<std::size_t>(last / kBits);
  const std::uint64_t head = kAll << (first % kBits);
  const std::uint64_t tail = kAll >> (kBits - 1 - last % kBits);
  if (word == last_word) {
    words_[word] |= head & tail;
    return;
  }
  words_[word] |= head;
  std::fill(words_.begin() + static_cast<std::ptrdiff_t>(word) + 1,
            words_.begin() + static_cast<std::ptrdiff_t>(last_word), kAll);
  words_[last_word] |= tail;
}

void Coverage::add(const std::vector<Stripe>& stripes, std::int64_t base) noexcept {
  for (const Stripe& stripe : stripes) {
    for (std::int64_t i = 0; i < stripe.count; ++i) add(stripe.offset - base + i * stripe.stride, stripe.bytes);
  }
}

std::int64_t Coverage::next(std::int64_t from, bool set) const noexcept {
  while (from < bytes_) {
    std::uint64_t word = words_[static_cast<std::size_t>(from / kBits)];
    if (!set) word = ~word;
    word &= kAll << (from % kBits);
    if (word != 0) return std::min(from / kBits * kBits + std::countr_zero(word), bytes_);
    from = (from / kBits + 1) * kBits;
  }
  return bytes_;
}

std::vector<FilePiece> Coverage::pieces(std::byte* window, std::int64_t base) const {
  std::vector<FilePiece> pieces;
  for (std::int64_t first = next(0, true); first < bytes_;) {
    const std::int64_t end = next(first, false);
    pieces.push_back({base + first, window + first, end - first});
    first = next(end, true);
  }
  return pieces;
}

}  // namespace starling::io
