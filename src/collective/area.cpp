// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/area.hpp"

#include <algorithm>
#include <new>

namespace starling::collective {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLargestSlot = 64 * 1024;
constexpr std::uint64_t kSmallestSlot = 4 * 1024;
constexpr std::uint64_t kSlotsBudget = 8 * 1024 * 1024;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::uint64_t Area::line_bytes(std::int32_t ranks) noexcept {
  const std::uint64_t heads = round_up(sizeof(Head), 2 * kCacheLine) + kLineDepth * sizeof(Meeting);
  return round_up(heads + static_cast<std::uint64_t>(ranks) * sizeof(RankLines), kPage);
}

std::uint64_t Area::slot_bytes(std::int32_t ranks) noexcept {
  std::uint64_t bytes = kLargestSlot;
  while (bytes > kSmallestSlot && bytes * kSlotDepth * static_cast<std::uint64_t>(ranks) > kSlotsBudget) bytes /= 2;
  return bytes;
}

std::uint64_t Area::total_bytes(std::int32_t ranks) noexcept {
  return line_bytes(ranks) + static_cast<std::uint64_t>(ranks + 1) * kSlotDepth * slot_bytes(ranks);
}

Result<std::uint64_t> Area::create(memory::JobSegment& segment, std::int32_t ranks) {
  memory::Arena arena(segment);
  auto offset = arena.allocate(total_bytes(ranks));
  if (!offset.ok()) return offset;
  const std::span<std::byte> block = arena.block(offset.value(), line_bytes(ranks));
  if (Status real = segment.commit(block); !real.ok()) {
    arena.release(offset.value(), total_bytes(ranks));
    return real;
  }
  std::byte* at = block.data();
  auto* head = new (at) Head{};
  head->users.store(ranks, std::memory_order_relaxed);
  head->blocked.store(0, std::memory_order_relaxed);
  at += round_up(sizeof(Head), 2 * kCacheLine);
  for (std::uint64_t i = 0; i < kLineDepth; ++i, at += sizeof(Meeting)) new (at) Meeting;
  for (std::int32_t rank = 0; rank < ranks; ++rank, at += sizeof(RankLines)) new (at) RankLines;
  return offset;
}

Area::Area(memory::JobSegment& segment, const comm::Communicator& comm, std::uint64_t offset)
    : segment_(segment),
      offset_(offset),
      rank_(comm.rank()),
      ranks_(comm.size()),
      crowded_(static_cast<std::uint32_t>(comm.size()) > segment.header().usable_cores),
      sender_fences_(segment.header().sender_fences != 0),
      base_(segment.arena().data() + offset),
      meetings_(reinterpret_cast<Meeting*>(base_ + round_up(sizeof(Head), 2 * kCacheLine))),
      lines_(reinterpret_cast<RankLines*>(meetings_ + kLineDepth)),
      slots_(base_ + line_bytes(ranks_)),
      slot_bytes_(static_cast<std::int64_t>(slot_bytes(ranks_))) {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    bells_.push_back(&segment.rank(static_cast<std::uint32_t>(comm.world_rank(rank))).doorbell);
  }
}

Area::~Area() {
  // acq_rel: the last rank may only reuse the block after all others have made their last access.
  if (head().users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    memory::Arena(segment_).release(offset_, total_bytes(ranks_));
  }
}

Status Area::commit_slots() {
  const std::uint64_t begin = line_bytes(ranks_);
  return segment_.commit(segment_.arena().subspan(offset_ + begin, total_bytes(ranks_) - begin));
}

bool Area::look_who_finished(std::uint64_t k, std::uint64_t depth) noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    least = std::min(least, lines_[rank].finished.load(std::memory_order_acquire));
  }
  known_finished_ = std::max(known_finished_, least);
  return known_finished_ + depth >= k;
}

void Area::ring_all() noexcept {
  if (sender_fences_) std::atomic_thread_fence(std::memory_order_seq_cst);
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    if (rank != rank_) memory::ring(*bells_[static_cast<std::size_t>(rank)], false);
  }
}

}  // namespace starling::collective
