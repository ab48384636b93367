// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/buffer_pool.hpp"

#include <algorithm>

namespace starling::transport::shm {
namespace {

/// Memory is made real in steps of this size, so that a connection with little traffic stays small.
constexpr std::uint64_t kCommitStep = 32 * 1024;

}  // namespace

bool ConnectionPool::commit(std::uint64_t end, Status* failure) {
  const std::uint64_t target =
      std::min<std::uint64_t>((end + kCommitStep - 1) / kCommitStep * kCommitStep, buffers_.size());
  Status status = segment_->commit(buffers_.subspan(committed_, target - committed_));
  if (!status.ok()) {
    *failure = std::move(status);
    return false;
  }
  committed_ = target;
  return true;
}

void SenderPool::open(const memory::JobSegment& segment, std::span<std::byte> buffers, std::uint64_t block_bytes) {
  segment_ = &segment;
  buffers_ = buffers;
  block_bytes_ = block_bytes;
  blocks_ = static_cast<std::uint32_t>(buffers.size() / block_bytes);
}

std::uint32_t SenderPool::take(Status* failure) {
  if (!free_.empty()) {
    const std::uint32_t block = free_.back();
    free_.pop_back();
    return block;
  }
  if (fresh_ == blocks_) return kNone;
  Status status = segment_->commit(buffers_.subspan(offset(fresh_), block_bytes_));
  if (!status.ok()) {
    *failure = std::move(status);
    return kNone;
  }
  return fresh_++;
}

}  // namespace starling::transport::shm
