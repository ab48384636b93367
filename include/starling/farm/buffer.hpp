// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Bytes on their way between processes: a Buffer that grows, a Slice of one that keeps it alive.
//
// Thread safety: a Buffer belongs to one thread while it grows; afterwards, and Slices always, any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace starling::farm {

/// Bytes that grow at the end and are not zeroed first.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { grow(size), size_ = size; }

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

  /// Room for that many more bytes at the end; what is written there is the caller's business.
  std::byte* extend(std::size_t more) {
    if (size_ + more > capacity_) grow(size_ + more);
    std::byte* at = bytes_.get() + size_;
    size_ += more;
    return at;
  }
  void append(const void* from, std::size_t size) {
    if (size > 0) std::memcpy(extend(size), from, size);
  }
  /// Takes back what was added behind `size`.
  void shrink(std::size_t size) { size_ = size; }

 private:
  void grow(std::size_t least) {
    const std::size_t wanted = least > 2 * capacity_ ? least : 2 * capacity_;
    auto larger = std::make_unique_for_overwrite<std::byte[]>(wanted);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    capacity_ = wanted;
  }

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A piece of a Buffer, by its place: the Buffer may still grow, and lives as long as its Slices.
struct Slice {
  std::shared_ptr<const Buffer> owner;
  std::size_t offset = 0;
  std::size_t size = 0;

  const std::byte* data() const { return owner->data() + offset; }
};

}  // namespace starling::farm
