// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/shared_buffer.hpp"

#include <algorithm>
#include <new>

#include "memory/page.hpp"

namespace starling::collective {
namespace {

using memory::kPage;
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

std::uint64_t Area::board_bytes(std::int32_t ranks) noexcept { return round_up(Board::bytes(ranks), kPage); }

std::uint64_t Area::total_bytes(std::int32_t ranks) noexcept {
  return line_bytes(ranks) + static_cast<std::uint64_t>(ranks + 1) * kSlotDepth * slot_bytes(ranks) +
         board_bytes(ranks);
}

/// The areas of the job, in a list that the arena keeps.
class Area::Directory {
 public:
  explicit Directory(memory::JobSegment& segment) : segment_(segment), arena_(segment), guard_(segment) {}

  /// The offset of the area, which is made when no rank has asked before; or why there is none.
  Result<std::uint64_t> find_or_create(const comm::Communicator& comm, const Use& use) {
    STARLING_TRY(arena_.open(guard_));
    std::int32_t instances = 0;
    for (std::uint64_t offset = first(); offset != 0; offset = at(offset).next) {
      const Head& head = at(offset);
      if (head.context_id != comm.shared_context_id() || head.leader != comm.place(0)) continue;
      if (head.instance == use.instance) return offset;
      if (head.instance != 0 && !head.refused) ++instances;
    }
    auto offset = create(comm, use, use.instance != 0 && instances >= kMostInstances);
    // Ranks of this communicator that ask later must get the same answer.
    if (!offset.ok()) arena_.close(guard_);
    return offset;
  }

  [[nodiscard]] bool refused(std::uint64_t offset) { return at(offset).refused; }

  /// One rank less uses the area; the last gives the block back, and so does one whose fellows have left or died.
  void leave(std::uint64_t offset, const Area* area = nullptr) {
    if (--at(offset).users > 0 && (area == nullptr || !area->others_are_gone())) return;
    std::uint64_t* link = &first();
    while (*link != offset) link = &at(*link).next;
    *link = at(offset).next;
    arena_.release(guard_, offset, at(offset).bytes);
  }

 private:
  std::uint64_t& first() { return arena_.root(guard_, memory::Arena::Root::kCollectiveAreas); }
  Head& at(std::uint64_t offset) { return *reinterpret_cast<Head*>(arena_.at(offset)); }

  Result<std::uint64_t> create(const comm::Communicator& comm, const Use& use, bool refused) {
    const std::uint64_t real = refused ? kHeadBytes : line_bytes(comm.size());
    const std::uint64_t bytes = !refused && use.slots ? total_bytes(comm.size()) : real;
    Result<std::uint64_t> made = arena_.allocate(guard_, bytes);
    if (!made.ok()) return made;
    const std::uint64_t offset = made.value();
    STARLING_TRY(segment_.commit(arena_.block(offset, real)));
    std::byte* place = arena_.at(offset);
    auto* head = new (place) Head;
    head->next = first();
    head->context_id = comm.shared_context_id();
    head->leader = comm.place(0);
    head->instance = use.instance;
    head->users = comm.size();
    head->bytes = bytes;
    head->slots = use.slots ? Slots::kUnknown : Slots::kRefused;
    head->refused = refused;
    first() = offset;
    if (refused) return offset;
    place += kHeadBytes;
    for (std::uint64_t i = 0; i < kLineDepth; ++i, place += sizeof(Meeting)) new (place) Meeting;
    for (std::int32_t rank = 0; rank < comm.size(); ++rank, place += sizeof(RankLines)) new (place) RankLines;
    return offset;
  }

  memory::JobSegment& segment_;
  memory::Arena arena_;
  memory::Arena::Guard guard_;
};

std::unique_ptr<Area> Area::join(memory::JobSegment& segment, const comm::Communicator& comm, const Use& use) {
  Directory directory(segment);
  auto offset = directory.find_or_create(comm, use);
  if (!offset.ok()) return nullptr;
  if (directory.refused(offset.value())) {
    directory.leave(offset.value());
    return nullptr;
  }
  return std::unique_ptr<Area>(new Area(segment, comm, offset.value()));
}

Area::Area(memory::JobSegment& segment, const comm::Communicator& comm, std::uint64_t offset)
    : segment_(segment),
      offset_(offset),
      rank_(comm.rank()),
      ranks_(comm.size()),
      oversubscribed_(static_cast<std::uint32_t>(comm.size()) > segment.header().usable_cores),
      sender_fences_(segment.header().sender_fences != 0),
      base_(segment.arena().data() + offset),
      meetings_(reinterpret_cast<Meeting*>(base_ + kHeadBytes)),
      lines_(reinterpret_cast<RankLines*>(meetings_ + kLineDepth)),
      slots_(base_ + line_bytes(ranks_)),
      slot_bytes_(static_cast<std::int64_t>(slot_bytes(ranks_))) {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    places_.push_back(comm.place(rank));
    bells_.push_back(&segment.rank(static_cast<std::uint32_t>(comm.place(rank))).doorbell);
  }
}

Area::~Area() {
  Directory directory(segment_);
  lines_[rank_].finished.store(kLeft, std::memory_order_relaxed);
  directory.leave(offset_, this);
}

bool Area::others_are_gone() const noexcept {
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    if (lines_[rank].finished.load(std::memory_order_relaxed) == kLeft) continue;
    const auto place = static_cast<std::uint32_t>(places_[static_cast<std::size_t>(rank)]);
    if (segment_.rank(place).state.load(std::memory_order_acquire) != memory::RankState::kDead) return false;
  }
  return true;
}

bool Area::have_slots() {
  const memory::Arena::Guard guard(segment_);
  if (head().slots == Slots::kUnknown) {
    const std::uint64_t begin = line_bytes(ranks_);
    const Status real = segment_.commit(segment_.arena().subspan(offset_ + begin, total_bytes(ranks_) - begin));
    head().slots = real.ok() ? Slots::kReal : Slots::kRefused;
    if (real.ok()) board().construct();
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
