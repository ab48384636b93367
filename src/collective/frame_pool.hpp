// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FramePool: recycles the memory of coroutine frames, requests and small temporaries, so that a collective call costs
// no malloc once the pool is warm. Free blocks wait in one list for each power of two. Thread safety: the holder of the
// world's lock. Invariants: a block goes back to the pool it came from; the pool outlives its blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace starling::collective {

class FramePool {
 public:
  FramePool() = default;
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  /// Aligned for any object; null when memory is short.
  [[nodiscard]] void* allocate(std::size_t bytes) noexcept;
  /// Null is ignored. The block knows its pool.
  static void release(void* block) noexcept;

 private:
  static constexpr std::size_t kSmallestShift = 7;
  static constexpr std::size_t kClasses = 10;  ///< 128 bytes to 64 KiB; larger blocks are malloc's

  struct alignas(16) Head {
    FramePool* pool;
    union {
      std::size_t index;  ///< while in use
      Head* next;         ///< while free
    };
  };

  std::array<Head*, kClasses> free_{};
};

}  // namespace starling::collective
