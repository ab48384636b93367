// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What names an element: Index, bytes of any length with their hash, and how users' index types become one.
//
// Index types: integers; std::array<int, 1..6>; std::string; BitString, a path in a quadtree or octree; any trivially
// copyable type without padding; any type with a serialize and a default constructor whose equal values write equal
// bytes.
//
// **Thread safety**: as values. **Invariants**: equal bytes are equal indices, on all processes; up to kNear bytes lie
// in the object itself. Source: O. Lawlor, L. Kalé, Supporting Dynamic Parallel Object Arrays, ISCOPE 2001,
// section 3.1.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <starling/array/archive.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace starling::array {

class Index {
 public:
  static constexpr std::size_t kNear = 24;

  Index() : size_(0), hash_(hash(nullptr, 0)), words_() {}
  Index(const void* bytes, std::size_t size) : size_(static_cast<std::uint32_t>(size)), hash_(0), words_() {
    const char* from = static_cast<const char*>(bytes);
    if (size <= kWord) {
      words_[0] = word_of(from, size);
      hash_ = hash_of_word(words_[0], size);
      return;
    }
    std::memcpy(size <= kNear ? near() : (far_ = new char[size]), from, size);
    hash_ = hash(from, size);
  }
  Index(const Index& other) : size_(other.size_), hash_(other.hash_), words_() {
    if (size_ <= kNear) {
      copy_near(other);
    } else {
      std::memcpy(far_ = new char[size_], other.far_, size_);
    }
  }
  Index(Index&& other) noexcept : words_() { take(other); }
  Index& operator=(Index other) noexcept {
    release();
    take(other);
    return *this;
  }
  ~Index() { release(); }

  const char* data() const { return size_ <= kNear ? reinterpret_cast<const char*>(words_) : far_; }
  std::size_t size() const { return size_; }
  std::uint32_t hash() const { return hash_; }
  bool operator==(const Index& other) const {
    if (hash_ != other.hash_ || size_ != other.size_) return false;
    return size_ <= kWord ? words_[0] == other.words_[0] : std::memcmp(data(), other.data(), size_) == 0;
  }

  static std::uint32_t hash(const char* bytes, std::size_t size) {
    return size <= kWord ? hash_of_word(word_of(bytes, size), size) : hash_of_many(bytes, size);
  }

 private:
  static constexpr std::size_t kWord = 8;
  static constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15u;  // 2^64 divided by the golden ratio

  static std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= kMultiplier;
    return value ^ (value >> 29);
  }
  /// Up to 8 bytes as a number. Those of the usual sizes are loaded at once: bytes that are stored one by one and read
  /// together are waited for.
  static std::uint64_t word_of(const char* bytes, std::size_t size) {
    std::uint32_t half = 0;
    std::uint64_t word = 0;
    if (size == sizeof half) {
      std::memcpy(&half, bytes, sizeof half);
      return half;
    }
    if (size == sizeof word) {
      std::memcpy(&word, bytes, sizeof word);
    } else if (size != 0) {
      std::memcpy(&word, bytes, size);
    }
    return word;
  }
  static std::uint32_t hash_of_word(std::uint64_t word, std::size_t size) {
    std::uint64_t state = kMultiplier + size;
    if (size != 0) state = mix(state ^ word);
    return static_cast<std::uint32_t>(mix(state) >> 16);
  }
  static std::uint32_t hash_of_many(const char* bytes, std::size_t size);

  char* near() { return reinterpret_cast<char*>(words_); }
  void copy_near(const Index& other) {
    words_[0] = other.words_[0];
    if (size_ <= kWord) return;
    words_[1] = other.words_[1];
    words_[2] = other.words_[2];
  }
  void release() {
    if (size_ > kNear) delete[] far_;
  }
  void take(Index& other) noexcept {
    size_ = other.size_;
    hash_ = other.hash_;
    if (size_ <= kNear) {
      copy_near(other);
    } else {
      far_ = other.far_;
    }
    other.size_ = 0;
    other.words_[0] = 0;
  }

  std::uint32_t size_;
  std::uint32_t hash_;
  union {
    std::uint64_t words_[kNear / kWord];
    char* far_;
  };
};
static_assert(sizeof(Index) == 32);

/// A string of bits of any length: the directions taken from the root of a tree, say.
class BitString {
 public:
  BitString() = default;
  /// From '0' and '1'; anything else separates, as in "10;11".
  explicit BitString(std::string_view text);

  std::size_t size() const { return size_; }
  bool operator[](std::size_t at) const { return (bytes_[at / 8] >> (at % 8) & 1) != 0; }
  /// Appends the lowest `bits` of a number, the highest of them first. Returns itself.
  BitString& push(unsigned number, unsigned bits = 1);
  /// Removes the last `bits` and returns them as a number. There must be as many.
  unsigned pop(unsigned bits = 1);
  std::string text() const;
  bool operator==(const BitString&) const = default;
  auto operator<=>(const BitString&) const = default;
  void serialize(Archive& archive) { archive(size_, bytes_); }

 private:
  std::uint32_t size_ = 0;
  std::vector<std::uint8_t> bytes_;  // bits beyond size_ are 0
};

namespace detail {

std::string describe_numbers(const std::int64_t* numbers, std::size_t count);
std::string describe_bytes(const char* bytes, std::size_t size);

template <class I>
concept SerializedIndex = HasSerialize<I> && std::default_initializable<I>;

/// To bytes and back, and to a text for messages.
template <class I>
struct IndexBytes {
  static_assert(
      PlainBytes<I> && std::has_unique_object_representations_v<I>,
      "an index type must be an integer, std::array<int, N>, a string, a BitString, a struct of integers without "
      "padding, or have a serialize");
  static Index pack(const I& index) { return Index(&index, sizeof(I)); }
  static I unpack(const Index& index) {
    I result;
    std::memcpy(&result, index.data(), sizeof(I));
    return result;
  }
  static std::string describe(const Index& index) {
    if constexpr (std::integral<I>) {
      const std::int64_t number = static_cast<std::int64_t>(unpack(index));
      return describe_numbers(&number, 1);
    } else if constexpr (TupleLike<I>) {
      const I values = unpack(index);
      std::int64_t numbers[std::tuple_size_v<I>];
      for (std::size_t i = 0; i < values.size(); ++i) numbers[i] = static_cast<std::int64_t>(values[i]);
      return describe_numbers(numbers, values.size());
    } else {
      return describe_bytes(index.data(), index.size());
    }
  }
};

template <>
struct IndexBytes<std::string> {
  static Index pack(const std::string& index) { return Index(index.data(), index.size()); }
  static std::string unpack(const Index& index) { return std::string(index.data(), index.size()); }
  static std::string describe(const Index& index) { return '"' + unpack(index) + '"'; }
};

template <SerializedIndex I>
struct IndexBytes<I> {
  static Index pack(const I& index) {
    Archive count = Archive::counting();
    count(index);
    std::vector<char> bytes(count.used());
    Archive::writing(bytes.data(), bytes.size())(index);
    return Index(bytes.data(), bytes.size());
  }
  static I unpack(const Index& index) {
    I result;
    Archive::reading(index.data(), index.size())(result);
    return result;
  }
  static std::string describe(const Index& index) {
    if constexpr (requires(I i) { std::string(i.text()); }) {
      return unpack(index).text();
    } else {
      return describe_bytes(index.data(), index.size());
    }
  }
};

}  // namespace detail
}  // namespace starling::array
