// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/stripes.hpp"

#include <array>
#include <cstring>

namespace starling::io {
namespace {

void append(std::vector<Stripe>& stripes, std::int64_t offset, std::int64_t bytes) {
  if (!stripes.empty() && stripes.back().bytes == bytes) {
    Stripe& last = stripes.back();
    if (last.count == 1) last.stride = offset - last.offset;
    if (last.offset + last.count * last.stride == offset) {
      ++last.count;
      return;
    }
  }
  stripes.push_back({offset, bytes, 1, 0});
}

template <std::size_t kBytes>
void scatter_blocks(const Stripe& stripe, const std::byte* packed, std::byte* to) noexcept {
  for (std::int64_t i = 0; i < stripe.count; ++i) std::memcpy(to + i * stripe.stride, packed + i * kBytes, kBytes);
}

template <std::size_t kBytes>
void gather_blocks(const Stripe& stripe, const std::byte* from, std::byte* packed) noexcept {
  for (std::int64_t i = 0; i < stripe.count; ++i) std::memcpy(packed + i * kBytes, from + i * stripe.stride, kBytes);
}

}  // namespace

std::vector<Stripe> stripes_of(const View& view, std::int64_t position, std::int64_t bytes) {
  std::vector<Stripe> stripes;
  datatype::PackCursor cursor = view.cursor(position);
  std::array<datatype::MemoryRun, 64> runs;
  while (bytes > 0) {
    const std::size_t count = cursor.next_runs(runs, bytes);
    for (std::size_t i = 0; i < count; ++i) {
      append(stripes, offset_in(runs[i]), static_cast<std::int64_t>(runs[i].bytes));
      bytes -= static_cast<std::int64_t>(runs[i].bytes);
    }
  }
  return stripes;
}

void scatter(const std::vector<Stripe>& stripes, const std::byte* packed, std::byte* window,
             std::int64_t base) noexcept {
  for (const Stripe& stripe : stripes) {
    std::byte* to = window + (stripe.offset - base);
    // Copies of a known length are a few instructions; a call for eight bytes costs more than they do.
    switch (stripe.bytes) {
      case 4: scatter_blocks<4>(stripe, packed, to); break;
      case 8: scatter_blocks<8>(stripe, packed, to); break;
      case 16: scatter_blocks<16>(stripe, packed, to); break;
      default:
        for (std::int64_t i = 0; i < stripe.count; ++i) {
          std::memcpy(to + i * stripe.stride, packed + i * stripe.bytes, static_cast<std::size_t>(stripe.bytes));
        }
    }
    packed += stripe.count * stripe.bytes;
  }
}

void gather(const std::vector<Stripe>& stripes, const std::byte* window, std::int64_t base,
            std::byte* packed) noexcept {
  for (const Stripe& stripe : stripes) {
    const std::byte* from = window + (stripe.offset - base);
    switch (stripe.bytes) {
      case 4: gather_blocks<4>(stripe, from, packed); break;
      case 8: gather_blocks<8>(stripe, from, packed); break;
      case 16: gather_blocks<16>(stripe, from, packed); break;
      default:
        for (std::int64_t i = 0; i < stripe.count; ++i) {
          std::memcpy(packed + i * stripe.bytes, from + i * stripe.stride, static_cast<std::size_t>(stripe.bytes));
        }
    }
    packed += stripe.count * stripe.bytes;
  }
}

}  // namespace starling::io
