// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/area.hpp"

#include <algorithm>
#include <new>

namespace starling::collective {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLargestSlot = 64 * 1024;
constexpr std::uint64_t kSlotsBudget = 8 * 1024 * 1024;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::uint64_t Area::line_bytes(std::int32_t ranks) noexcept {
  const std::uint64_t heads = kHeadBytes + kLineDepth * sizeof(Meeting);
  return round_up(heads + static_cast<std::uint64_t>(ranks) * sizeof(RankLines), kPage);
}

std::uint64_t Area::slot_bytes(std::int32_t ranks) noexcept {
  std::uint64_t bytes = kLargestSlot;
  while (bytes > kSmallestSlotBytes && bytes * kSlotDepth * static_cast<std::uint64_t>(ranks) > kSlotsBudget)
    bytes /= 2;
  return bytes;
}

std::uint64_t Area::total_bytes(std::int32_t ranks) noexcept {
  return line_bytes(ranks) + static_cast<std::uint64_t>(ranks + 1) * kSlotDepth * slot_bytes(ranks);
}

Result<std::uint64_t> Area::find_or_create(memory::JobSegment& segment, const comm::Communicator& comm) {
  memory::Arena arena(segment);
  const memory::Arena::Guard guard(segment);
  STARLING_TRY(arena.open(guard));
  std::uint64_t& first = arena.root(guard, memory::Arena::Root::kCollectiveAreas);
  for (std::uint64_t at = first; at != 0; at = reinterpret_cast<Head*>(arena.at(at))->next) {
    const auto* head = reinterpret_cast<Head*>(arena.at(at));
    if (head->context_id == comm.context_id() && head->leader == comm.world_rank(0)) return at;
  }
  auto offset = arena.allocate(guard, total_bytes(comm.size()));
  if (offset.ok()) {
    Status real = segment.commit(arena.block(offset.value(), line_bytes(comm.size())));
    if (!real.ok()) offset = std::move(real);
  }
  if (!offset.ok()) {
    // Ranks of this communicator that ask later must get the same answer.
    arena.close(guard);
    return offset;
  }
  std::byte* place = arena.at(offset.value());
  auto* head = new (place) Head;
  head->next = first;
  head->context_id = comm.context_id();
  head->leader = comm.world_rank(0);
  head->users = comm.size();
  place += kHeadBytes;
  for (std::uint64_t i = 0; i < kLineDepth; ++i, place += sizeof(Meeting)) new (place) Meeting;
  for (std::int32_t rank = 0; rank < comm.size(); ++rank, place += sizeof(RankLines)) new (place) RankLines;
  first = offset.value();
  return offset;
}

std::unique_ptr<Area> Area::join(memory::JobSegment& segment, const comm::Communicator& comm) {
  auto offset = find_or_create(segment, comm);
  if (!offset.ok()) return nullptr;
  return std::unique_ptr<Area>(new Area(segment, comm, offset.value()));
}

Area::Area(memory::JobSegment& segment, const comm::Communicator& comm, std::uint64_t offset)
    : segment_(segment),
      offset_(offset),
      rank_(comm.rank()),
      ranks_(comm.size()),
      crowded_(static_cast<std::uint32_t>(comm.size()) > segment.header().usable_cores),
      sender_fences_(segment.header().sender_fences != 0),
      base_(segment.arena().data() + offset),
      meetings_(reinterpret_cast<Meeting*>(base_ + kHeadBytes)),
      lines_(reinterpret_cast<RankLines*>(meetings_ + kLineDepth)),
      slots_(base_ + line_bytes(ranks_)),
      slot_bytes_(static_cast<std::int64_t>(slot_bytes(ranks_))) {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    bells_.push_back(&segment.rank(static_cast<std::uint32_t>(comm.world_rank(rank))).doorbell);
  }
}

Area::~Area() {
  memory::Arena arena(segment_);
  const memory::Arena::Guard guard(segment_);
  if (--head().users > 0) return;
  std::uint64_t* link = &arena.root(guard, memory::Arena::Root::kCollectiveAreas);
  while (*link != offset_) link = &reinterpret_cast<Head*>(arena.at(*link))->next;
  *link = head().next;
  arena.release(guard, offset_, total_bytes(ranks_));
}

bool Area::have_slots() {
  const memory::Arena::Guard guard(segment_);
  if (head().slots == Slots::kUnknown) {
    const std::uint64_t begin = line_bytes(ranks_);
    const Status real = segment_.commit(segment_.arena().subspan(offset_ + begin, total_bytes(ranks_) - begin));
    head().slots = real.ok() ? Slots::kReal : Slots::kRefused;
  }
  return head().slots == Slots::kReal;
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
