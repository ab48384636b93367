// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The memory that algorithms work in: Scratch holds typed data like the user's buffer, Packed makes any typed data one
// stretch of bytes.
// Thread safety: none; each belongs to one coroutine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "collective/coroutine/call.hpp"

namespace starling::collective {

/// Pooled memory. When memory is short the Call gets a failure and data() is null.
class Memory {
 public:
  Memory() noexcept = default;
  Memory(Call& call, std::int64_t bytes);
  Memory(Memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~Memory() { FramePool::release(data_); }

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
  Memory memory_;
  void* base_ = nullptr;
};

/// Typed data as plain bytes: the user's own memory where it is contiguous, else a packed copy.
class Packed {
 public:
  enum class Use : std::uint8_t { kRead, kWrite };  ///< kWrite: commit() stores the bytes in the user's buffer

  Packed(Call& call, Use use, const void* buffer, std::int64_t count, const datatype::Datatype& type);

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] explicit operator bool() const noexcept { return bytes_ == 0 || data_ != nullptr; }

  /// Stores the bytes where they belong.
  void commit();

 private:
  Memory copy_;
  std::byte* data_ = nullptr;
  std::int64_t bytes_;
  void* user_;
  std::int64_t count_;
  const datatype::Datatype& type_;
};

/// The first of `parts` nearly equal parts, and so on: part i is [begin(i), begin(i + 1)).
struct Parts {
  std::int64_t total;
  std::int64_t parts;
  [[nodiscard]] std::int64_t begin(std::int64_t index) const noexcept {
    const std::int64_t longer = total % parts;
    return index * (total / parts) + (index < longer ? index : longer);
  }
  [[nodiscard]] std::int64_t length(std::int64_t index) const noexcept { return begin(index + 1) - begin(index); }
};

/// The blocks of a v or plain form: how many elements each rank's has and where it starts.
class Blocks {
 public:
  /// Blocks of the same length, one behind the other.
  explicit Blocks(std::int64_t count) noexcept : uniform_(count) {}
  /// Blocks as given.
  Blocks(Counts counts, Counts displs) noexcept : counts_(counts), displs_(displs) {}
  /// Blocks of given lengths, one behind the other.
  static Blocks packed(Counts counts) noexcept { return Blocks(counts, Counts()); }

  [[nodiscard]] std::int64_t count(std::int32_t rank) const noexcept {
    return counts_.given() ? counts_[rank] : uniform_;
  }
  /// In elements. O(rank) for packed blocks.
  [[nodiscard]] std::int64_t displacement(std::int32_t rank) const noexcept;
  [[nodiscard]] std::int64_t total(std::int32_t ranks) const noexcept;

 private:
  std::int64_t uniform_ = 0;
  Counts counts_;
  Counts displs_;
};

}  // namespace starling::collective
