// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// FramePool: recycles the memory of coroutine frames, requests and small temporaries, so that a collective call costs
// no malloc once the pool is warm. Free blocks wait in one list for each power of two; of the large ones, whose pages
// the kernel would have to make real again in every call, two of each size. Thread safety: the holder of the
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
  static constexpr std::size_t kSmallClasses = 10;  ///< 128 bytes to 64 KiB
  static constexpr std::size_t kClasses = 16;       ///< ... to 4 MiB; larger blocks are malloc's
  static constexpr std::uint32_t kLargeKept = 2;    ///< free blocks of each of the larger classes

  struct alignas(16) Head {
    FramePool* pool;
    union {
      std::size_t index;  ///< while in use
      Head* next;         ///< while free
    };
  };

  std::array<Head*, kClasses> free_{};
  std::array<std::uint32_t, kClasses> waiting_{};  ///< blocks in each list
};

}  // namespace starling::collective
