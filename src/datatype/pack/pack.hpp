// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Moving typed data to and from a sequence of bytes, in pieces of any size.
//
// A cursor is a position in the packed sequence of `count` elements; it holds no other state, so seeking is free and a
// piece costs O(depth of the type + log of its list lengths) beside the bytes it moves.
// Thread safety: a cursor belongs to one thread; several cursors may share a type and, for packing, a buffer.
// Invariants: the type is committed and outlives the cursor; count * size and count * extent fit 64 bits (see
// packed_bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/assert.hpp"
#include "base/small_copy.hpp"
#include "base/status.hpp"
#include "datatype/types/datatype.hpp"

namespace starling::datatype {

/// A stretch of memory that holds consecutive bytes of the packed sequence.
struct MemoryRun {
  std::byte* data;
  std::size_t bytes;
};

/// Bytes of data in count elements; ErrorClass::kCount when count is negative or the data or their span exceed 64 bits.
[[nodiscard]] Result<std::int64_t> packed_bytes(std::int64_t count, const Datatype& type);

namespace internal {

/// What both cursors share: where they are and how to find the memory of the next bytes.
class Cursor {
 public:
  [[nodiscard]] std::int64_t total() const noexcept { return total_; }
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }
  [[nodiscard]] std::int64_t remaining() const noexcept { return total_ - position_; }
  [[nodiscard]] bool done() const noexcept { return position_ == total_; }

  /// 0 <= position <= total().
  void seek(std::int64_t position) noexcept { position_ = position; }
  /// May be negative.
  void skip(std::int64_t bytes) noexcept { position_ += bytes; }

  /// Whether all data are one stretch of memory: no packing is needed, memory() is the data.
  [[nodiscard]] bool is_contiguous() const noexcept { return plan_ == nullptr; }

  /// Describes up to max_bytes of data from the position as stretches of memory, without moving them (for iovecs and
  /// single-copy transfers). Advances past what it described; returns how many runs it filled.
  std::size_t next_runs(std::span<MemoryRun> runs, std::int64_t max_bytes) noexcept;

 protected:
  Cursor(const Datatype& type, std::byte* base, std::int64_t count) noexcept
      : base_(base), count_(count), extent_(type.extent()), total_(count * type.size()) {
    STARLING_ASSERT(type.committed(), "a datatype must be committed before it is packed");
    if (type.is_contiguous()) [[likely]] {
      begin_at(type.true_lb());
    } else if (total_ != 0) {
      plan(type);
    }
  }

  /// Contiguous data lie at this distance from the base. Addresses are numbers here: MPI_BOTTOM is a null pointer, to
  /// which none may be added.
  void begin_at(std::int64_t distance) noexcept {
    base_ = reinterpret_cast<std::byte*>(  // NOLINT(performance-no-int-to-ptr)
        reinterpret_cast<std::intptr_t>(base_) + distance);
  }
  /// Of a type with gaps, which one element may not have.
  void plan(const Datatype& type) noexcept;

  std::byte* base_;  // of contiguous data: the first byte of data
  const PlanNode* plan_ = nullptr;
  std::int64_t count_;
  std::int64_t extent_;
  std::int64_t total_;
  std::int64_t position_ = 0;
};

}  // namespace internal

class PackCursor : public internal::Cursor {
 public:
  PackCursor(const Datatype& type, const void* base, std::int64_t count) noexcept
      : Cursor(type, static_cast<std::byte*>(const_cast<void*>(base)), count) {}

  /// Copies the next bytes of the sequence, at most max, and returns how many.
  std::size_t pack(std::byte* out, std::size_t max) noexcept {
    const auto left = static_cast<std::size_t>(remaining());
    const std::size_t bytes = max < left ? max : left;
    if (bytes == 0) return 0;
    if (is_contiguous()) {
      std::memcpy(out, base_ + position_, bytes);
    } else {
      pack_strided(out, bytes);
    }
    position_ += static_cast<std::int64_t>(bytes);
    return bytes;
  }

  /// The next byte of contiguous data.
  [[nodiscard]] const std::byte* memory() const noexcept { return base_ + position_; }

 private:
  void pack_strided(std::byte* out, std::size_t bytes) noexcept;
};

class UnpackCursor : public internal::Cursor {
 public:
  UnpackCursor(const Datatype& type, void* base, std::int64_t count) noexcept
      : Cursor(type, static_cast<std::byte*>(base), count) {}

  /// Stores the next bytes of the sequence, at most what is left, and returns how many it took.
  std::size_t unpack(const std::byte* in, std::size_t max) noexcept {
    const auto left = static_cast<std::size_t>(remaining());
    const std::size_t bytes = max < left ? max : left;
    if (bytes == 0) return 0;
    if (is_contiguous()) {
      std::memcpy(base_ + position_, in, bytes);
    } else {
      unpack_strided(in, bytes);
    }
    position_ += static_cast<std::int64_t>(bytes);
    return bytes;
  }

  /// The next byte of contiguous data.
  [[nodiscard]] std::byte* memory() const noexcept { return base_ + position_; }

 private:
  void unpack_strided(const std::byte* in, std::size_t bytes) noexcept;
};

namespace internal {
Result<std::int64_t> copy_otherwise(const void* source, std::int64_t source_count, const Datatype& source_type,
                                    void* destination, std::int64_t destination_count,
                                    const Datatype& destination_type);
}

/// Moves typed data within one process and returns the bytes moved. When the source holds more than the destination
/// takes, it moves what fits and fails with ErrorClass::kTruncate. The two must not overlap, but may be the same.
inline Result<std::int64_t> copy(const void* source, std::int64_t source_count, const Datatype& source_type,
                                 void* destination, std::int64_t destination_count, const Datatype& destination_type) {
  const std::int64_t bytes = source_count * source_type.size();
  const bool alike = source_type.is_contiguous() && destination_type.is_contiguous() && source != nullptr &&
                     destination != nullptr && bytes == destination_count * destination_type.size();
  if (!alike) [[unlikely]]
    return internal::copy_otherwise(source, source_count, source_type, destination, destination_count,
                                    destination_type);
  const std::byte* const from = static_cast<const std::byte*>(source) + source_type.true_lb();
  std::byte* const to = static_cast<std::byte*>(destination) + destination_type.true_lb();
  if (from != to) small_copy(to, from, static_cast<std::size_t>(bytes));
  return bytes;
}

}  // namespace starling::datatype
