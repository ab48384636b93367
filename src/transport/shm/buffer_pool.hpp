// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where a sender puts payloads that do not fit a postbox, and how it learns that the receiver is done with them.
//
// Both pools are private to the sender: the receiver frees nothing, it only advances its consumed count, and the sender
// takes back the buffers of every postbox that the count has passed.
//   ConnectionPool  a ring of bytes for one connection; postboxes are consumed in order, so buffers are freed in order.
//   SenderPool      fixed blocks shared by all connections of a sender: more room for one busy connection out of the
//                   same memory, at the price of whole blocks for small payloads.
// Thread safety: the sender's world lock.
// Source: Sun HPC ClusterTools, "Sun MPI Implementation", Connection Pools Versus Send-Buffer Pools.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/cpu.hpp"
#include "base/status.hpp"
#include "memory/job_segment.hpp"

namespace starling::transport::shm {

/// How a buffer is about to be written.
enum class Filling : std::uint8_t { kThroughCache, kPastCache };

class ConnectionPool {
 public:
  void open(const memory::JobSegment& segment, std::span<std::byte> buffers, std::uint32_t slots) {
    segment_ = &segment;
    buffers_ = buffers;
    end_of_.assign(slots, 0);
    keep_to(wanted_);
  }

  /// Pieces that fit do not go beyond the first so many bytes (0: all). Where few pieces are under way they go around
  /// in there.
  void keep_to(std::uint64_t bytes) noexcept {
    wanted_ = bytes;
    wrap_at_ = bytes == 0 ? buffers_.size() : std::min<std::uint64_t>(bytes, buffers_.size());
  }

  /// Room for bytes in one piece, for the postbox that ends next; the offset in the buffers, or nothing when there is
  /// none. A failed commit is left in *failure.
  std::optional<std::uint64_t> take(std::uint64_t bytes, Status* failure) {
    const std::uint64_t size = (bytes + kCacheLine - 1) & ~std::uint64_t{kCacheLine - 1};
    std::uint64_t begin = head_;
    const std::uint64_t at = begin % buffers_.size();
    if (at + size > wrap_at_ && at != 0) begin += buffers_.size() - at;  // no piece wraps
    if (begin + size - tail_ > buffers_.size()) return std::nullopt;
    const std::uint64_t offset = begin % buffers_.size();
    if (offset + size > committed_ && !commit(offset + size, failure)) return std::nullopt;
    head_ = begin + size;
    return offset;
  }

  /// What is taken so far belongs to the postboxes up to the one at `slot`.
  void end_postbox(std::uint32_t slot) noexcept { end_of_[slot] = head_; }

  /// What belongs to the postboxes up to the one at `slot` is free again.
  void free_to(std::uint32_t slot) noexcept { tail_ = end_of_[slot]; }

  /// No packet is under way: where the next piece is taken. Through the cache, at the front, whose lines are the
  /// likeliest to be in it. Past the cache, behind the last such piece: lines that the receiver has in its cache must
  /// be taken out of there first.
  void restart(Filling filling) noexcept { head_ = tail_ = filling == Filling::kThroughCache ? 0 : past_cache_; }
  /// The piece that was taken last is written past the cache.
  void note_past_cache() noexcept { past_cache_ = head_ % buffers_.size(); }

 private:
  bool commit(std::uint64_t end, Status* failure);

  const memory::JobSegment* segment_ = nullptr;
  std::span<std::byte> buffers_;
  std::uint64_t wrap_at_ = 0;     ///< the offset at which pieces begin again at the front
  std::uint64_t wanted_ = 0;      ///< as keep_to() was asked, also before the pool is open
  std::uint64_t head_ = 0;        ///< bytes ever handed out, with the gaps at wraps
  std::uint64_t tail_ = 0;        ///< bytes ever freed
  std::uint64_t past_cache_ = 0;  ///< offset behind the last piece that was written past the cache
  std::uint64_t committed_ = 0;   ///< buffers_ up to here are real memory
  std::vector<std::uint64_t> end_of_;
};

class SenderPool {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void open(const memory::JobSegment& segment, std::span<std::byte> buffers, std::uint64_t block_bytes);
  [[nodiscard]] bool is_open() const noexcept { return segment_ != nullptr; }

  /// A free block's number, or kNone.
  std::uint32_t take(Status* failure);
  void give(std::uint32_t block) { free_.push_back(block); }
  [[nodiscard]] std::uint64_t offset(std::uint32_t block) const noexcept { return block * block_bytes_; }

 private:
  const memory::JobSegment* segment_ = nullptr;
  std::span<std::byte> buffers_;
  std::uint64_t block_bytes_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint32_t fresh_ = 0;  ///< blocks from here on have never been used
  std::vector<std::uint32_t> free_;
};

}  // namespace starling::transport::shm
