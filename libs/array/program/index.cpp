// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include <starling/array/index.hpp>

#include "base/format.hpp"

namespace starling::array {

std::uint32_t Index::hash_of_many(const char* bytes, std::size_t size) {
  std::uint64_t state = kMultiplier + size;
  for (; size >= kWord; bytes += kWord, size -= kWord) state = mix(state ^ word_of(bytes, kWord));
  if (size != 0) state = mix(state ^ word_of(bytes, size));
  return static_cast<std::uint32_t>(mix(state) >> 16);
}

BitString::BitString(std::string_view text) {
  for (const char each : text) {
    if (each == '0' || each == '1') push(each == '1' ? 1 : 0);
  }
}

BitString& BitString::push(unsigned number, unsigned bits) {
  while (bits-- > 0) {
    if (size_ % 8 == 0) bytes_.push_back(0);
    bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (number >> bits & 1) << (size_ % 8));
    ++size_;
  }
  return *this;
}

unsigned BitString::pop(unsigned bits) {
  unsigned number = 0;
  for (unsigned i = 0; i < bits; ++i) {
    --size_;
    const unsigned bit = bytes_.back() >> (size_ % 8) & 1;
    number |= bit << i;
    bytes_.back() = static_cast<std::uint8_t>(bytes_.back() & ~(1u << (size_ % 8)));
    if (size_ % 8 == 0) bytes_.pop_back();
  }
  return number;
}

std::string BitString::text() const {
  std::string result;
  for (std::size_t i = 0; i < size_; ++i) result += (*this)[i] ? '1' : '0';
  return result.empty() ? "(the empty bit string)" : result;
}

namespace detail {

std::string describe_numbers(const std::int64_t* numbers, std::size_t count) {
  std::string result = std::to_string(numbers[0]);
  for (std::size_t i = 1; i < count; ++i) result += formatted(", {}", numbers[i]);
  return count == 1 ? result : "(" + result + ")";
}

std::string describe_bytes(const char* bytes, std::size_t size) {
  std::string result = "0x";
  for (std::size_t i = 0; i < size; ++i) {
    result += formatted("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return result;
}

}  // namespace detail

void Archive::overrun(std::size_t wanted) const {
  if (!is_reading()) {
    throw ArchiveError(
        "its serialize writes more than it counted a moment before: it must not depend on anything but the object");
  }
  throw ArchiveError(
      formatted("its serialize reads {} bytes more than were written: it must read what it wrote, in the same order",
                wanted - left()));
}

std::size_t Archive::length(std::size_t now, std::size_t least_bytes_each) {
  std::uint64_t count = now;
  bytes(&count, sizeof count);
  if (is_reading() && least_bytes_each != 0 && count > left() / least_bytes_each) overrun(count * least_bytes_each);
  return count;
}

}  // namespace starling::array
