// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/stripes.hpp"

#include <array>
#include <cstring>

namespace starling::io {
namespace {

void append(std::vector<Strip>& strips, std::int64_t offset, std::int64_t bytes) {
  if (!strips.empty() && strips.back().bytes == bytes) {
    Strip& last = strips.back();
    if (last.count == 1) last.stride = offset - last.offset;
    if (last.offset + last.count * last.stride == offset) {
      ++last.count;
      return;
    }
  }
  strips.push_back({offset, bytes, 1, 0});
}

template <std::size_t kBytes>
void scatter_blocks(const Strip& strip, const std::byte* packed, std::byte* to) noexcept {
  for (std::int64_t i = 0; i < strip.count; ++i) std::memcpy(to + i * strip.stride, packed + i * kBytes, kBytes);
}

template <std::size_t kBytes>
void gather_blocks(const Strip& strip, const std::byte* from, std::byte* packed) noexcept {
  for (std::int64_t i = 0; i < strip.count; ++i) std::memcpy(packed + i * kBytes, from + i * strip.stride, kBytes);
}

}  // namespace

std::vector<Strip> strips_of(const View& view, std::int64_t position, std::int64_t bytes) {
  std::vector<Strip> strips;
  datatype::PackCursor cursor = view.cursor(position);
  std::array<datatype::MemoryRun, 64> runs;
  while (bytes > 0) {
    const std::size_t count = cursor.next_runs(runs, bytes);
    for (std::size_t i = 0; i < count; ++i) {
      append(strips, offset_in(runs[i]), static_cast<std::int64_t>(runs[i].bytes));
      bytes -= static_cast<std::int64_t>(runs[i].bytes);
    }
  }
  return strips;
}

void scatter(const std::vector<Strip>& strips, const std::byte* packed, std::byte* window, std::int64_t base) noexcept {
  for (const Strip& strip : strips) {
    std::byte* to = window + (strip.offset - base);
    // Copies of a known length are a few instructions; a call for eight bytes costs more than they do.
    switch (strip.bytes) {
      case 4: scatter_blocks<4>(strip, packed, to); break;
      case 8: scatter_blocks<8>(strip, packed, to); break;
      case 16: scatter_blocks<16>(strip, packed, to); break;
      default:
        for (std::int64_t i = 0; i < strip.count; ++i) {
          std::memcpy(to + i * strip.stride, packed + i * strip.bytes, static_cast<std::size_t>(strip.bytes));
        }
    }
    packed += strip.count * strip.bytes;
  }
}

void gather(const std::vector<Strip>& strips, const std::byte* window, std::int64_t base, std::byte* packed) noexcept {
  for (const Strip& strip : strips) {
    const std::byte* from = window + (strip.offset - base);
    switch (strip.bytes) {
      case 4: gather_blocks<4>(strip, from, packed); break;
      case 8: gather_blocks<8>(strip, from, packed); break;
      case 16: gather_blocks<16>(strip, from, packed); break;
      default:
        for (std::int64_t i = 0; i < strip.count; ++i) {
          std::memcpy(packed + i * strip.bytes, from + i * strip.stride, static_cast<std::size_t>(strip.bytes));
        }
    }
    packed += strip.count * strip.bytes;
  }
}

}  // namespace starling::io
