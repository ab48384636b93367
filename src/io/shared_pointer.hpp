// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SharedPointer: the file pointer that all ranks of an open file have in common: one atomic number in the memory that
// they share, so an access moves it by itself and nothing is left behind on any disk.
//
// Thread safety: any rank at any time. Invariants: all ranks of the file hold the same block, or none does because the
// arena was full when the file was opened. Rank 0 gives the block back once all have closed.
// Source: MPI-5.0, chapter 14.4.4.
#pragma once

#include <cstdint>

#include "memory/arena.hpp"

namespace starling::io {

class SharedPointer {
 public:
  static constexpr std::uint64_t kNowhere = 0;

  /// Rank 0 of a file: makes the pointer. kNowhere when there is no memory.
  static std::uint64_t allocate(memory::JobSegment& segment);
  static void release(memory::JobSegment& segment, std::uint64_t place);

  SharedPointer() noexcept = default;
  SharedPointer(memory::JobSegment& segment, std::uint64_t place) noexcept;

  [[nodiscard]] bool exists() const noexcept { return word_ != nullptr; }

  // In etypes of the current view. relaxed: the number orders nothing else; data are ordered by messages.
  [[nodiscard]] std::int64_t get() const noexcept { return word_->load(std::memory_order_relaxed); }
  void set(std::int64_t etypes) noexcept { word_->store(etypes, std::memory_order_relaxed); }
  /// Moves the pointer on and returns where it was.
  std::int64_t advance(std::int64_t etypes) noexcept { return word_->fetch_add(etypes, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t>* word_ = nullptr;
};

}  // namespace starling::io
