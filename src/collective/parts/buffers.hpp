// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The memory that algorithms work in: Scratch holds typed data like the user's buffer, Packed makes any typed data one
// stretch of bytes.
// Thread safety: none; each belongs to one coroutine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "collective/arguments/blocks.hpp"
#include "collective/coroutine/call.hpp"

namespace starling::collective {

/// Pooled memory. When memory is short the Call gets a failure and data() is null.
class PooledMemory {
 public:
  PooledMemory() noexcept = default;
  PooledMemory(Call& call, std::int64_t bytes);
  PooledMemory(PooledMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  PooledMemory& operator=(PooledMemory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~PooledMemory() { FramePool::release(data_); }

  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

/// Room for `count` elements of a type, addressed as the type's user would address it.
class Scratch {
 public:
  Scratch(Call& call, std::int64_t count, const datatype::Datatype& type);

  /// Null when memory was short.
  [[nodiscard]] void* data() const noexcept { return base_; }
  [[nodiscard]] explicit operator bool() const noexcept { return memory_.data() != nullptr; }

 private:
  PooledMemory memory_;
  void* base_ = nullptr;
};

/// Typed data as plain bytes: the user's own memory where it is contiguous, else a packed copy.
class Packed {
 public:
  enum class Access : std::uint8_t { kRead, kWrite };  ///< kWrite: commit() stores the bytes in the user's buffer

  Packed(Call& call, Access access, const void* buffer, std::int64_t count, const datatype::Datatype& type);

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] explicit operator bool() const noexcept { return bytes_ == 0 || data_ != nullptr; }

  /// Stores the bytes where they belong.
  void commit();

 private:
  PooledMemory copy_;
  std::byte* data_ = nullptr;
  std::int64_t bytes_;
  void* user_;
  std::int64_t count_;
  const datatype::Datatype& type_;
};

/// The first of `parts` nearly equal parts, and so on: part i is [begin(i), begin(i + 1)).
struct EqualParts {
  std::int64_t total;
  std::int64_t parts;
  [[nodiscard]] std::int64_t begin(std::int64_t index) const noexcept {
    const std::int64_t longer = total % parts;
    return index * (total / parts) + (index < longer ? index : longer);
  }
  [[nodiscard]] std::int64_t length(std::int64_t index) const noexcept { return begin(index + 1) - begin(index); }
};

}  // namespace starling::collective
