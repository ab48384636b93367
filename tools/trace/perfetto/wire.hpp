// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The wire format of protocol buffers (https://protobuf.dev/programming-guides/encoding): varints, fixed 64-bit words
// and fields with a length. Here it is read; message_writer.hpp writes it. Thread safety: no shared state. A reader
// never looks behind the end of its text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starling::trace::perfetto {

enum class WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

inline constexpr std::size_t kMostVarintBytes = 10;

/// One field of a message.
struct Field {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  ///< of a varint or a fixed word
  std::string_view bytes;   ///< of a field with a length
};

/// Takes a varint from the front of the text. False: it is not whole, or none.
inline bool take_varint(std::string_view& text, std::uint64_t* value) {
  std::uint64_t sum = 0;
  const std::size_t most = text.size() < kMostVarintBytes ? text.size() : kMostVarintBytes;
  for (std::size_t index = 0; index < most; ++index) {
    const auto byte = static_cast<std::uint8_t>(text[index]);
    sum |= std::uint64_t{byte & 0x7FU} << (7 * index);
    if (byte < 0x80) {
      text.remove_prefix(index + 1);
      *value = sum;
      return true;
    }
  }
  return false;
}

inline bool take_fixed(std::string_view& text, std::size_t bytes, std::uint64_t* value) {
  if (text.size() < bytes) return false;
  *value = 0;
  for (std::size_t index = 0; index < bytes; ++index)
    *value |= std::uint64_t{static_cast<std::uint8_t>(text[index])} << (8 * index);
  text.remove_prefix(bytes);
  return true;
}

/// Takes a field from the front of a message. False: the message is at its end, or what follows is no field.
inline bool take_field(std::string_view& text, Field* field) {
  constexpr std::uint64_t kMostFields = std::uint64_t{1} << 29;
  std::uint64_t key = 0;
  if (text.empty() || !take_varint(text, &key) || key >> 3 == 0 || key >> 3 >= kMostFields) return false;
  field->number = static_cast<std::uint32_t>(key >> 3);
  field->type = static_cast<WireType>(key & 7);
  switch (field->type) {
    case WireType::kVarint: return take_varint(text, &field->value);
    case WireType::kFixed64: return take_fixed(text, 8, &field->value);
    case WireType::kFixed32: return take_fixed(text, 4, &field->value);
    case WireType::kBytes:
      if (!take_varint(text, &field->value) || field->value > text.size()) return false;
      field->bytes = text.substr(0, field->value);
      text.remove_prefix(field->value);
      return true;
  }
  return false;
}

}  // namespace starling::trace::perfetto
