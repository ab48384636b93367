// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Arena: hands out blocks of the job segment's arena to whoever shares memory between ranks (collectives, windows).
//
// Blocks are powers of two, at least a page, aligned to a page. A freed block waits in the list of its size for the
// next taker. Only the first page of a new block is real; the taker commits what it will touch (JobSegment::commit),
// for a block may be larger than what is ever used. Layout: the first page of the arena holds the list heads;
// JobHeader::arena_used is the end of what was ever handed out. Thread safety: any thread of any process;
// JobHeader::arena_lock guards it and is taken over from a holder that died. Invariants: offsets are relative to the
// arena and the same in every process; 0 is never a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::memory {

class Arena {
 public:
  explicit Arena(JobSegment& segment) noexcept : segment_(segment) {}

  /// The offset of a block of at least `bytes` bytes, with arbitrary content. kNoMem when the arena is full.
  Result<std::uint64_t> allocate(std::uint64_t bytes);
  /// Gives a block back; `bytes` as in allocate().
  void release(std::uint64_t offset, std::uint64_t bytes);

  [[nodiscard]] std::span<std::byte> block(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return segment_.arena().subspan(offset, bytes);
  }

 private:
  Status prepare();

  JobSegment& segment_;
};

}  // namespace starling::memory
