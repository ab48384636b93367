// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MessageWriter: messages of protocol buffers, written into one growing buffer. The length of a nested message is
// written when it is closed, into two bytes kept free for it: a varint may have leading zeros.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "trace/perfetto/wire.hpp"

namespace starling::trace::perfetto {

class MessageWriter {
 public:
  /// A nested message may have this many bytes.
  static constexpr std::size_t kMostNestedBytes = (std::size_t{1} << 14) - 1;

  void number(std::uint32_t field, std::uint64_t value) {
    reserve(2 * kMostVarintBytes);
    key(field, WireType::kVarint);
    varint(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    reserve(kMostVarintBytes + 8);
    key(field, WireType::kFixed64);
    for (int shift = 0; shift < 64; shift += 8) put(value >> shift);
  }
  void bytes(std::uint32_t field, std::string_view text) {
    reserve(2 * kMostVarintBytes + text.size());
    key(field, WireType::kBytes);
    varint(text.size());
    if (!text.empty()) std::memcpy(&buffer_[used_], text.data(), text.size());
    used_ += text.size();
  }

  /// Begins a nested message; close() it with what this returns.
  [[nodiscard]] std::size_t open(std::uint32_t field) {
    reserve(kMostVarintBytes + 2);
    key(field, WireType::kBytes);
    used_ += 2;
    return used_;
  }
  void close(std::size_t start) {
    const std::size_t length = used_ - start;
    buffer_[start - 2] = static_cast<char>(length | 0x80);
    buffer_[start - 1] = static_cast<char>(length >> 7 & 0x7F);
  }

  [[nodiscard]] std::string_view text() const { return {buffer_.data(), used_}; }
  void clear() { used_ = 0; }

 private:
  void reserve(std::size_t more) {
    if (used_ + more > buffer_.size()) buffer_.resize(std::max(2 * buffer_.size(), used_ + more));
  }
  void put(std::uint64_t byte) { buffer_[used_++] = static_cast<char>(byte); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) put(value | 0x80);
    put(value);
  }
  void key(std::uint32_t field, WireType type) { varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type)); }

  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace starling::trace::perfetto
