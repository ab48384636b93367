// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/node/shared_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <new>

namespace starling::collective {
namespace {

bool oversubscribes(const comm::Communicator& comm) noexcept {
  return static_cast<std::uint32_t>(comm.size()) > comm.shared_domain()->segment().header().usable_cores;
}

}  // namespace

/// The shared buffers of a segment, in a list that the arena keeps.
class SharedBuffer::Registry {
 public:
  explicit Registry(memory::JobSegment& segment) : segment_(segment), arena_(segment), guard_(segment) {}

  /// The offset of the shared buffer, which is made when no rank has asked before; or why there is none.
  Result<std::uint64_t> find_or_create(const comm::Communicator& comm, const Instance& wanted) {
    STARLING_TRY(arena_.open(guard_));
    std::int32_t instances = 0;
    for (std::uint64_t offset = first(); offset != 0; offset = at(offset).next) {
      const Head& head = at(offset);
      if (head.context_id != comm.shared_context_id() || head.leader != comm.local_rank(0)) continue;
      if (head.instance == wanted.instance) return offset;
      if (head.instance != 0 && !head.refused) ++instances;
    }
    auto offset = create(comm, wanted, wanted.instance != 0 && instances >= kMostInstances);
    // Ranks of this communicator that ask later must get the same answer.
    if (!offset.ok()) arena_.close(guard_);
    return offset;
  }

  [[nodiscard]] bool refused(std::uint64_t offset) { return at(offset).refused; }

  /// One rank less uses the shared buffer; the last gives the block back, and so does one whose fellows have left or
  /// died.
  void leave(std::uint64_t offset, const SharedBuffer* shared = nullptr) {
    if (--at(offset).users > 0 && (shared == nullptr || !shared->others_are_gone())) return;
    std::uint64_t* link = &first();
    while (*link != offset) link = &at(*link).next;
    *link = at(offset).next;
    arena_.release(guard_, offset, at(offset).bytes);
  }

 private:
  std::uint64_t& first() { return arena_.root(guard_, memory::Arena::Root::kCollectiveAreas); }
  Head& at(std::uint64_t offset) { return *reinterpret_cast<Head*>(arena_.at(offset)); }

  Result<std::uint64_t> create(const comm::Communicator& comm, const Instance& wanted, bool refused) {
    const std::uint64_t depth = depth_of(comm, wanted);
    const std::uint64_t real = refused ? kHeadBytes : flag_bytes(comm.size(), depth);
    const std::uint64_t bytes = !refused && wanted.segments ? total_bytes(comm.size(), depth) : real;
    Result<std::uint64_t> made = arena_.allocate(guard_, bytes);
    if (!made.ok()) return made;
    const std::uint64_t offset = made.value();
    STARLING_TRY(segment_.commit(arena_.block(offset, real)));
    std::byte* place = arena_.at(offset);
    auto* head = new (place) Head;
    head->next = first();
    head->context_id = comm.shared_context_id();
    head->leader = comm.local_rank(0);
    head->instance = wanted.instance;
    head->users = comm.size();
    head->bytes = bytes;
    head->segments = wanted.segments ? Segments::kUnknown : Segments::kRefused;
    head->refused = refused;
    if (!refused) construct_flags(place + kHeadBytes, comm.size(), depth);
    // Last: a rank that dies before leaves nothing that others find, such as flags of a block's former use.
    std::atomic_ref(first()).store(offset, std::memory_order_release);
    return offset;
  }
  static void construct_flags(std::byte* place, std::int32_t ranks, std::uint64_t depth) {
    for (std::uint64_t i = 0; i < depth; ++i, place += sizeof(Meeting)) new (place) Meeting;
    for (std::int32_t rank = 0; rank < ranks; ++rank, place += sizeof(Finished)) {
      for (std::uint64_t i = 0; i < depth; ++i, place += sizeof(Flag)) new (place) Flag;
      new (place) Finished;
    }
  }

  memory::JobSegment& segment_;
  memory::Arena arena_;
  memory::Arena::Guard guard_;
};

std::unique_ptr<SharedBuffer> SharedBuffer::join(const comm::Communicator& comm, const Instance& wanted) {
  Registry registry(comm.shared_domain()->segment());
  auto offset = registry.find_or_create(comm, wanted);
  if (!offset.ok()) return nullptr;
  if (registry.refused(offset.value())) {
    registry.leave(offset.value());
    return nullptr;
  }
  return std::unique_ptr<SharedBuffer>(new SharedBuffer(comm, offset.value(), wanted));
}

std::uint64_t SharedBuffer::depth_of(const comm::Communicator& comm, const Instance& wanted) noexcept {
  return std::min(depth_for(comm.size()), wanted.most_depth);
}

SharedBuffer::SharedBuffer(const comm::Communicator& comm, std::uint64_t offset, const Instance& wanted)
    : StepPlaces(comm.shared_domain()->segment().arena().data() + offset, comm.size(), depth_of(comm, wanted),
                 oversubscribes(comm)),
      segment_(comm.shared_domain()->segment()),
      offset_(offset),
      rank_(comm.rank()),
      oversubscribed_(oversubscribes(comm)),
      sender_fences_(segment_.header().sender_fences != 0),
      learns_(wanted.learns),
      places_choice_(comm.rank()) {
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    local_ranks_.push_back(comm.local_rank(rank));
    bells_.push_back(&segment_.rank(local_ranks_.back()).doorbell);
  }
}

SharedBuffer::~SharedBuffer() {
  Registry registry(segment_);
  finished(rank_).store(kLeft, std::memory_order_relaxed);
  registry.leave(offset_, this);
}

bool SharedBuffer::others_are_gone() const noexcept {
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    if (finished(rank).load(std::memory_order_relaxed) == kLeft) continue;
    const LocalRank local = local_ranks_[static_cast<std::size_t>(rank)];
    if (segment_.rank(local).state.load(std::memory_order_acquire) != memory::RankState::kDead) return false;
  }
  return true;
}

bool SharedBuffer::have_segments() {
  const memory::Arena::Guard guard(segment_);
  if (head().segments == Segments::kUnknown) {
    const std::uint64_t begin = flag_bytes(ranks(), flag_depth());
    const Status real =
        segment_.commit(segment_.arena().subspan(offset_ + begin, total_bytes(ranks(), flag_depth()) - begin));
    if (real.ok()) history().construct();
    std::atomic_ref(head().segments).store(real.ok() ? Segments::kReal : Segments::kRefused, std::memory_order_release);
  }
  return head().segments == Segments::kReal;
}

bool SharedBuffer::look_who_finished(std::uint64_t k, std::uint64_t depth) noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    least = std::min(least, finished(rank).load(std::memory_order_acquire));
  }
  known_finished_ = std::max(known_finished_, least);
  return known_finished_ + depth >= k;
}

void SharedBuffer::ring_all() noexcept {
  if (sender_fences_) std::atomic_thread_fence(std::memory_order_seq_cst);
  for (std::int32_t rank = 0; rank < ranks(); ++rank) {
    if (rank != rank_) memory::ring(*bells_[static_cast<std::size_t>(rank)], false);
  }
}

}  // namespace starling::collective
