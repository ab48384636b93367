// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Arena: hands out blocks of the job segment's arena to components that share memory between ranks (collectives,
// windows).
//
// Blocks are powers of two, at least a page, aligned to a page. A freed block goes to the free list of its size.
// Only the first page of a new block has memory; its owner commits the pages that it will touch (JobSegment::commit),
// because a block may be larger than what is ever used.
//
// Layout: the first page of the arena holds the list heads and the roots; JobHeader::arena_used is the end of the
// blocks handed out so far.
//
// Thread safety: any thread of any process; a Guard holds JobHeader::arena_lock. The next thread takes the lock over
// from a holder that died.
//
// Invariants: offsets are relative to the arena and the same in every process; 0 is never a block. A closed arena stays
// closed, so that ranks that ask at different times get the same answer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::memory {

/// The first page of the arena.
struct ArenaHead {
  static constexpr int kPageShift = 12;
  static constexpr std::size_t kRoots = 8;

  std::uint64_t first[64 - kPageShift];  ///< for each power of two the first free block, 0 = none
  std::uint64_t roots[kRoots];
  std::uint64_t closed;
};
static_assert(sizeof(ArenaHead) == 488);

class Arena {
 public:
  /// Words of the first page in which components keep the offsets of their blocks.
  enum class Root : std::uint8_t { kCollectiveAreas, kWindows };

  /// Exclusive use of the arena's book-keeping by one thread of one process.
  class Guard {
   public:
    explicit Guard(JobSegment& segment) noexcept;
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    std::atomic<std::uint64_t>& word_;
  };

  explicit Arena(JobSegment& segment) noexcept : segment_(segment) {}

  /// Makes the arena usable; kNoMem when it has no room. Before any of the calls below.
  Status open(const Guard& guard);

  /// The offset of a block of at least `bytes` bytes, with arbitrary content. kNoMem when the arena is full.
  Result<std::uint64_t> allocate(const Guard& guard, std::uint64_t bytes);
  /// Gives a block back; `bytes` as in allocate().
  void release(const Guard& guard, std::uint64_t offset, std::uint64_t bytes);
  /// No block will be handed out any more. Blocks handed out before stay valid.
  void close(const Guard& guard);

  [[nodiscard]] std::uint64_t& root(const Guard& guard, Root root) const noexcept;
  [[nodiscard]] std::byte* at(std::uint64_t offset) const noexcept { return segment_.arena().data() + offset; }
  [[nodiscard]] std::span<std::byte> block(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return segment_.arena().subspan(offset, bytes);
  }

 private:
  JobSegment& segment_;
};

}  // namespace starling::memory
