// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// SharedBuffer: the shared memory of one communicator whose ranks are all on one node, where arrival is a flag.
//
// Each use of it is a step with a number k = 1, 2, ..., the same on every rank. In a step a rank may write its flag (a
// stamp, and up to kInline bytes of data) and its segment of the buffer (longer data), and read those of others once
// they are stamped k. Flags are used again after flag_depth() steps; data that take a small part of the segments, after
// as many as there are such parts, or fewer (PlacesChoice). So a rank may run ahead of slow readers, and no second
// barrier is needed: finished[r] says which step rank r has left behind, and when everybody has arrived at a step,
// everybody has finished the one before.
//
// With a core for every rank all ranks look at all flags: one cache line travels for each pair. With more ranks than
// cores the ranks are counted instead. The last to come does the common work and stamps one flag for all. So each rank
// has to run once for each step, and only the last one wakes sleepers.
//
// Thread safety: each rank writes its own flags and segments; the last to come writes the meeting's. Data are published
// by the release store of the stamp beside them (or the counter) and read after an acquire load. Source:
// Mellor-Crummey, Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", 1991; Parsons,
// Pai, "Exploiting Process Imbalance to Improve MPI Collective Operations in Hierarchical Systems", 2015.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cpu.hpp"
#include "collective/node/places_choice.hpp"
#include "collective/node/step_places.hpp"
#include "comm/communicator.hpp"
#include "memory/arena.hpp"

namespace starling::collective {

class SharedBuffer : public StepPlaces {
 public:
  /// Which shared buffer of a communicator, and what for.
  struct Instance {
    std::uint32_t instance = 0;             ///< 0: the communicator's own; else that of a persistent collective
    bool segments = true;                   ///< false: flags alone will do
    std::uint64_t most_depth = kMostDepth;  ///< of the flags; ranks that join the same say the same
    bool learns = true;                     ///< in how many places data lie best (PlacesChoice)
  };
  /// Persistent collectives of one communicator beyond so many at a time do without a shared buffer.
  static constexpr std::int32_t kMostInstances = 16;

  /// The shared buffer of a communicator with a shared domain: the first rank to ask makes it, the others find it. Null
  /// when there is none to be had, on every rank alike.
  static std::unique_ptr<SharedBuffer> join(const comm::Communicator& comm, const Instance& wanted);
  /// The last rank gives the block back.
  ~SharedBuffer();
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  /// Whether there is memory for the segments: the first rank to ask makes them real, the others get the same answer.
  [[nodiscard]] bool have_segments();

  [[nodiscard]] std::int32_t rank() const noexcept { return rank_; }
  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }

  /// Begins the next step.
  std::uint64_t next() noexcept {
    ++step_;
    prefetch_for_write(&flag(rank_, step_));
    return step_;
  }
  /// The number of the step that next() begins.
  [[nodiscard]] std::uint64_t upcoming() const noexcept { return step_ + 1; }
  // The same as next(), of a rank whose part in the step is all but done; the flag of the step after it, with as many
  // bytes beside it, will be needed soon: this rank's by who writes, that of a rank that is ahead by who reads.
  void next_of_writer(std::int64_t bytes) noexcept {
    ++step_;
    for_each_line(flag(rank_, step_ + 1), bytes, [](const std::byte* line) { prefetch_for_write(line); });
  }
  void next_of_reader(std::int32_t ahead, std::int64_t bytes) noexcept {
    ++step_;
    for_each_line(flag(ahead, step_ + 1), bytes, [](const std::byte* line) { __builtin_prefetch(line); });
  }

  /// Where `bytes` of a rank's contribution to step k lie: in the flag where they fit, else in its segments, of which
  /// they take no more than they need; of more than a segment has room for, a piece.
  [[nodiscard]] std::byte* data(std::int32_t rank, std::uint64_t k, std::int64_t bytes,
                                Pace pace = Pace::kTogether) const noexcept {
    if (bytes <= kRides) return flag(rank, k).payload;
    const bool few = rank == rank_ ? written_area_ == Area::kFewPlaces : flag(rank, k).few != 0;
    const Area ahead = few ? Area::kFewPlaces : Area::kAll;
    return place(rank, k, place_bytes(bytes, pace), pace == Pace::kTogether ? Area::kTwoSegments : ahead);
  }

  /// The depth for writable() of a rank that is about to write so many bytes in step k; notes that it does, and with a
  /// core for every rank chooses the places and asks for the lines. Places of one size are used in turn; where the
  /// size or the area changes, everybody has to have read what the others held.
  std::uint64_t depth_to_write(std::uint64_t k, std::int64_t bytes, Pace pace) noexcept {
    if (bytes <= kRides) return flag_depth();
    const std::uint64_t size = place_bytes(bytes, pace);
    const Area area = pace == Pace::kTogether ? Area::kTwoSegments : area_ahead(size);
    if (size != written_size_ || area != written_area_) {
      written_size_ = size;
      written_area_ = area;
      written_in_other_sizes_ = last_written_;
    }
    last_written_ = k;
    if (!oversubscribed_) ask_for(data(rank_, k, bytes, pace), bytes);
    return std::min(places_for(size, area), k - written_in_other_sizes_);
  }
  /// Whether nobody can still be reading what this rank wrote `depth` steps before step k.
  [[nodiscard]] bool writable(std::uint64_t k, std::uint64_t depth) noexcept {
    return known_finished_ + depth >= k || look_who_finished(k, depth);
  }
  /// So many other ranks are known to have posted step k. Where that is all of them, everybody has finished the step
  /// before, and writable() need not look.
  void saw_posted(std::int32_t others, std::uint64_t k) noexcept {
    if (others + 1 == ranks() && known_finished_ < k - 1) known_finished_ = k - 1;
  }
  /// A rank that waits for writable() says so, for ranks that finish a step ring nobody otherwise.
  void block() noexcept { blocked().fetch_add(1, std::memory_order_relaxed); }
  void unblock() noexcept { blocked().fetch_sub(1, std::memory_order_relaxed); }

  /// Publishes this rank's flag and segment of step k.
  void post(std::uint64_t k, std::int64_t bytes) noexcept {
    Flag& own = flag(rank_, k);
    own.bytes = bytes;
    own.few = written_area_ == Area::kFewPlaces ? 1 : 0;
    own.stamp.store(k, std::memory_order_release);
  }
  [[nodiscard]] bool posted(std::int32_t rank, std::uint64_t k) noexcept {
    return flag(rank, k).stamp.load(std::memory_order_acquire) >= k;
  }

  /// Counts this rank in; true for the last to come, which then sees all that the others posted.
  bool count_in(std::uint64_t k) noexcept {
    std::atomic<std::uint32_t>& arrived = meeting(k).arrived;
    // acq_rel: releases this rank's data, and the last to come acquires everybody's.
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != static_cast<std::uint32_t>(ranks())) return false;
    arrived.store(0, std::memory_order_relaxed);
    return true;
  }

  // A meeting: post, arrive, wait until met. The one for whom arrive() is true does the common work and calls
  // release().
  bool arrive(std::uint64_t k) noexcept {
    if (oversubscribed_) return count_in(k);
    met_ranks_ = 0;
    ring_all();
    return false;
  }
  void release(std::uint64_t k) noexcept {
    result_flag(k).stamp.store(k, std::memory_order_release);
    ring_all();
  }
  [[nodiscard]] bool met(std::uint64_t k) noexcept {
    if (oversubscribed_) {
      if (result_flag(k).stamp.load(std::memory_order_acquire) < k) return false;
    } else {
      while (met_ranks_ < ranks() && posted(met_ranks_, k)) ++met_ranks_;
      if (met_ranks_ < ranks()) return false;
    }
    saw_posted(ranks() - 1, k);
    return true;
  }

  // Where at most one rank waits at a time, that which comes next takes it. All have left it when the step is over.
  /// The rank that waits, which from now on does not; -1 if none does.
  std::int32_t take_waiting(std::uint64_t k) noexcept {
    std::atomic<std::uint32_t>& waiting = meeting(k).waiting;
    // Looks first: an exchange would take the line from others who look. acquire: what the rank has left there.
    if (waiting.load(std::memory_order_relaxed) == 0) return -1;
    return static_cast<std::int32_t>(waiting.exchange(0, std::memory_order_acquire)) - 1;
  }
  /// This rank waits from now on, unless another does: takes that one instead, else -1.
  std::int32_t wait_or_take(std::uint64_t k) noexcept {
    std::atomic<std::uint32_t>& waiting = meeting(k).waiting;
    std::uint32_t other = 0;
    // acq_rel: shows what this rank leaves there, or sees what the other has left.
    const std::uint32_t self = static_cast<std::uint32_t>(rank_) + 1;
    while (!waiting.compare_exchange_weak(other, other == 0 ? self : 0, std::memory_order_acq_rel)) {
    }
    return static_cast<std::int32_t>(other) - 1;
  }

  /// This rank will not look at step k any more.
  void finish(std::uint64_t k) noexcept {
    finished(rank_).store(k, std::memory_order_release);
    ring_blocked();
  }
  /// A rank that has left step k, or never took part in it. What it posted before it left is posted for who sees this.
  [[nodiscard]] bool has_left(std::int32_t rank, std::uint64_t k) const noexcept {
    return finished(rank).load(std::memory_order_acquire) >= k;
  }
  /// Wakes the others if any of them waits for this rank to be done with something.
  void ring_blocked() noexcept {
    if (sender_fences_) [[unlikely]]
      std::atomic_thread_fence(std::memory_order_seq_cst);
    if (blocked().load(std::memory_order_relaxed) != 0) [[unlikely]]
      ring_all();
  }

  void ring(std::int32_t rank) noexcept { memory::ring(*bells_[static_cast<std::size_t>(rank)], sender_fences_); }
  /// Wakes every other rank of the communicator that sleeps.
  void ring_all() noexcept;

 private:
  SharedBuffer(const comm::Communicator& comm, std::uint64_t offset, const Instance& wanted);

  static std::uint64_t depth_of(const comm::Communicator& comm, const Instance& wanted) noexcept;

  /// In `finished`, of a rank that does not use the shared buffer any more.
  static constexpr std::uint64_t kLeft = ~std::uint64_t{0};

  class Registry;

  /// Of a flag with so many bytes beside it.
  template <typename Visit>
  static void for_each_line(const Flag& flag, std::int64_t bytes, Visit&& visit) noexcept {
    const auto* const begin = reinterpret_cast<const std::byte*>(&flag);
    const std::byte* const end = flag.payload + bytes;
    for (const std::byte* line = begin; line < end; line += kCacheLine) visit(line);
  }

  /// Of a rank that is ahead and is about to write such a place.
  Area area_ahead(std::uint64_t place) noexcept {
    return !oversubscribed_ && learns_ && places_choice_.next_is_few(place) ? Area::kFewPlaces : Area::kAll;
  }

  /// Asks for the lines that are about to be written, which lie in the readers' caches: all at once they take one
  /// journey.
  static void ask_for(const std::byte* place, std::int64_t bytes) noexcept {
    constexpr std::int64_t kMostAsked = 8 * 1024;
    for (std::int64_t at = 0; at < std::min(bytes, kMostAsked); at += kCacheLine) prefetch_for_write(place + at);
  }

  [[nodiscard]] std::atomic<std::uint32_t>& blocked() noexcept { return head().blocked; }
  [[nodiscard]] bool others_are_gone() const noexcept;
  bool look_who_finished(std::uint64_t k, std::uint64_t depth) noexcept;

  memory::JobSegment& segment_;  ///< of the shared domain
  std::uint64_t offset_;
  std::int32_t rank_;
  bool oversubscribed_;
  bool sender_fences_;
  std::uint64_t step_ = 0;
  std::uint64_t known_finished_ = 0;  ///< every rank has finished this step
  std::uint64_t written_size_ = 0;    ///< of the place in its segments where this rank wrote last
  Area written_area_ = Area::kAll;    ///< and which of them hold such places
  bool learns_;
  std::uint64_t last_written_ = 0;            ///< the step
  std::uint64_t written_in_other_sizes_ = 0;  ///< the last step in which the places were others
  PlacesChoice places_choice_;
  std::int32_t met_ranks_ = 0;          ///< of the current meeting: ranks whose flag has been seen
  std::vector<LocalRank> local_ranks_;  ///< of the ranks in the shared domain
  std::vector<memory::Doorbell*> bells_;
};

}  // namespace starling::collective
