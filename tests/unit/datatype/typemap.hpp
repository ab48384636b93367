// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The naive model that the datatypes are checked against: a typemap as a plain list, as MPI-5.0 chapter 5.1 writes
// it down, with bounds computed from the list and packing one entry at a time.
// Thread safety: value types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "datatype/types/basic.hpp"

namespace starling::datatype::test {

struct Entry {
  Basic kind;
  std::int64_t displacement;
  std::int64_t size;
};

class Typemap {
 public:
  Typemap() = default;
  explicit Typemap(Basic type);

  /// Appends another map, moved by displacement.
  void append(const Typemap& other, std::int64_t displacement);
  /// count copies of another map, one extent apart.
  void append_block(const Typemap& other, std::int64_t displacement, std::int64_t count);
  void resize(std::int64_t lb, std::int64_t extent);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] std::int64_t lb() const;
  [[nodiscard]] std::int64_t ub() const;
  [[nodiscard]] std::int64_t extent() const { return ub() - lb(); }
  [[nodiscard]] std::int64_t true_lb() const;
  [[nodiscard]] std::int64_t true_ub() const;
  [[nodiscard]] std::uint64_t signature() const;
  /// The data of any number of elements are one stretch of memory, in order.
  [[nodiscard]] bool is_contiguous() const;
  /// Whole entries in so many bytes of packed data, or -1.
  [[nodiscard]] std::int64_t elements_in(std::int64_t bytes) const;

  /// Whether some byte belongs to two entries of count elements; receiving into such a type is erroneous.
  [[nodiscard]] bool overlaps(std::int64_t count) const;

  [[nodiscard]] std::vector<std::byte> pack(const std::byte* base, std::int64_t count) const;
  void unpack(std::span<const std::byte> packed, std::byte* base, std::int64_t count) const;

 private:
  std::vector<Entry> entries_;
  std::vector<std::int64_t> lb_markers_;
  std::vector<std::int64_t> ub_markers_;
};

/// Memory that holds exactly the bytes that count elements touch, so that a sanitizer sees the first byte beyond.
class Buffer {
 public:
  Buffer(const Typemap& map, std::int64_t count);
  [[nodiscard]] std::byte* base() { return reinterpret_cast<std::byte*>(base_); }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }
  void fill(std::uint32_t seed);

 private:
  std::vector<std::byte> bytes_;
  std::intptr_t base_ = 0;
};

}  // namespace starling::datatype::test
