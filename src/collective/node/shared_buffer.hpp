// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Area: the shared memory of one communicator whose ranks are all on one node, where arrival is a flag.
//
// Each use of the area is a step with a number k = 1, 2, ..., the same on every rank. In a step a rank may write its
// line (a stamp and up to kInline bytes that ride with it) and its slot (larger data), and read those of others once
// they are stamped k. Lines are used again after kLineDepth steps and slots after kSlotDepth, so a rank may run ahead
// of slow readers and no second barrier is needed: finished[r] says which step rank r has left behind, and everybody's
// arrival at a step implies that everybody has finished the one before.
//
// With a core for every rank all ranks look at all lines: one cache line travels for each pair. With more ranks than
// cores the ranks are counted instead, the last to come does the common work and stamps one line for all: each rank
// then has to run once for each step, and only the last one wakes sleepers.
//
// Layout: AreaHead | Meeting[kLineDepth] | RankLines[n] | slots [n + 1][kSlotDepth][slot_bytes], the last rank's slots
// being those of the common result | Board, which is there when the slots are.
// Thread safety: each rank writes its own lines and slots; the last to come writes the meeting's. Payload is published
// by the release store of the stamp beside it (or the counter) and read after an acquire load. Source: Mellor-Crummey,
// Scott, "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", 1991; Parsons, Pai, "Exploiting
// Process Imbalance to Improve MPI Collective Operations in Hierarchical Systems", 2015.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cpu.hpp"
#include "collective/node/arrival_history.hpp"
#include "comm/communicator.hpp"
#include "memory/arena.hpp"

namespace starling::collective {

struct alignas(kCacheLine) Line {
  static constexpr std::size_t kInline = 48;

  std::atomic<std::uint64_t> stamp{0};
  std::int64_t bytes = 0;  ///< how many its writer contributes, inline or in the slot
  alignas(16) std::byte payload[kInline] = {};
};
static_assert(sizeof(Line) == kCacheLine);

/// Fetches a line that this core will soon write, so that the store does not wait for the readers to let go.
inline void prefetch_to_write(const void* line) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

class Area {
 public:
  static constexpr std::uint64_t kLineDepth = 4;
  static constexpr std::uint64_t kSlotDepth = 2;
  static constexpr std::int64_t kSmallestSlotBytes = 4096;

  /// Bytes of arena that an area for so many ranks takes: for lines alone, and with slots.
  static std::uint64_t line_bytes(std::int32_t ranks) noexcept;
  static std::uint64_t slot_bytes(std::int32_t ranks) noexcept;
  static std::uint64_t board_bytes(std::int32_t ranks) noexcept;
  static std::uint64_t total_bytes(std::int32_t ranks) noexcept;

  /// Which area of a communicator, and what for.
  struct Use {
    std::uint32_t instance = 0;  ///< 0: the communicator's own; else that of a persistent collective
    bool slots = true;           ///< false: lines alone will do
  };
  /// Persistent collectives of one communicator beyond so many at a time do without an area.
  static constexpr std::int32_t kMostInstances = 16;

  /// The area of a communicator: the first rank to ask makes it, the others find it. Null when there is none to be had,
  /// on every rank alike.
  static std::unique_ptr<Area> join(memory::JobSegment& segment, const comm::Communicator& comm, const Use& use);
  /// The last rank gives the block back.
  ~Area();
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;

  /// Whether there is memory for the slots: the first rank to ask makes them real, the others get the same answer.
  [[nodiscard]] bool have_slots();

  [[nodiscard]] bool oversubscribed() const noexcept { return oversubscribed_; }
  [[nodiscard]] std::int64_t slot_bytes() const noexcept { return slot_bytes_; }

  /// Only where there are slots.
  [[nodiscard]] Board board() const noexcept {
    return {slots_ + (total_bytes(ranks_) - line_bytes(ranks_) - board_bytes(ranks_)), ranks_};
  }

  /// Begins the next step.
  std::uint64_t next() noexcept {
    ++step_;
    prefetch_to_write(&line(rank_, step_));
    return step_;
  }

  /// Whether nobody can still be reading what this rank wrote `depth` steps before step k.
  [[nodiscard]] bool writable(std::uint64_t k, std::uint64_t depth) noexcept {
    return known_finished_ + depth >= k || look_who_finished(k, depth);
  }
  /// So many other ranks are known to have posted step k. Where that is all of them, everybody has finished the step
  /// before, and writable() need not look.
  void saw_posted(std::int32_t others, std::uint64_t k) noexcept {
    if (others + 1 == ranks_ && known_finished_ < k - 1) known_finished_ = k - 1;
  }
  /// Whoever waits for writable() says so, for finishing ranks ring nobody otherwise.
  void block() noexcept { blocked().fetch_add(1, std::memory_order_relaxed); }
  void unblock() noexcept { blocked().fetch_sub(1, std::memory_order_relaxed); }

  [[nodiscard]] Line& line(std::int32_t rank, std::uint64_t k) noexcept {
    return lines_[rank].ring[k % kLineDepth].line;
  }
  [[nodiscard]] std::byte* slot(std::int32_t rank, std::uint64_t k) noexcept {
    return slots_ +
           (static_cast<std::uint64_t>(rank) * kSlotDepth + k % kSlotDepth) * static_cast<std::uint64_t>(slot_bytes_);
  }
  /// Of the common result of step k.
  [[nodiscard]] Line& result_line(std::uint64_t k) noexcept { return meetings()[k % kLineDepth].result; }
  [[nodiscard]] std::byte* result_slot(std::uint64_t k) noexcept { return slot(ranks_, k); }
  /// Where `bytes` of a rank's contribution to step k lie: they ride in the line when they fit.
  [[nodiscard]] std::byte* data(std::int32_t rank, std::uint64_t k, std::int64_t bytes) noexcept {
    return bytes <= static_cast<std::int64_t>(Line::kInline) ? line(rank, k).payload : slot(rank, k);
  }
  [[nodiscard]] std::byte* result(std::uint64_t k, std::int64_t bytes) noexcept {
    return bytes <= static_cast<std::int64_t>(Line::kInline) ? result_line(k).payload : result_slot(k);
  }

  /// Publishes this rank's line and slot of step k.
  void post(std::uint64_t k, std::int64_t bytes) noexcept {
    Line& own = line(rank_, k);
    own.bytes = bytes;
    own.stamp.store(k, std::memory_order_release);
  }
  [[nodiscard]] bool posted(std::int32_t rank, std::uint64_t k) noexcept {
    return line(rank, k).stamp.load(std::memory_order_acquire) >= k;
  }

  /// Counts this rank in; true for the last to come, who then sees all that the others posted.
  bool count_in(std::uint64_t k) noexcept {
    std::atomic<std::uint32_t>& arrived = meetings()[k % kLineDepth].arrived;
    // acq_rel: releases this rank's data, and the last to come acquires everybody's.
    if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != static_cast<std::uint32_t>(ranks_)) return false;
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
    result_line(k).stamp.store(k, std::memory_order_release);
    ring_all();
  }
  [[nodiscard]] bool met(std::uint64_t k) noexcept {
    if (oversubscribed_) {
      if (result_line(k).stamp.load(std::memory_order_acquire) < k) return false;
    } else {
      while (met_ranks_ < ranks_ && posted(met_ranks_, k)) ++met_ranks_;
      if (met_ranks_ < ranks_) return false;
    }
    saw_posted(ranks_ - 1, k);
    return true;
  }

  // Where at most one rank waits at a time, that which comes next takes it. All have left it when the step is over.
  /// The rank that waits, which from now on does not; -1 if none does.
  std::int32_t take_waiting(std::uint64_t k) noexcept {
    std::atomic<std::uint32_t>& waiting = meetings()[k % kLineDepth].waiting;
    // Looks first: an exchange would take the line from others who look. acquire: what the rank has left there.
    if (waiting.load(std::memory_order_relaxed) == 0) return -1;
    return static_cast<std::int32_t>(waiting.exchange(0, std::memory_order_acquire)) - 1;
  }
  /// This rank waits from now on, unless another does: takes that one instead, else -1.
  std::int32_t wait_or_take(std::uint64_t k) noexcept {
    std::atomic<std::uint32_t>& waiting = meetings()[k % kLineDepth].waiting;
    std::uint32_t other = 0;
    // acq_rel: shows what this rank leaves there, or sees what the other has left.
    const std::uint32_t self = static_cast<std::uint32_t>(rank_) + 1;
    while (!waiting.compare_exchange_weak(other, other == 0 ? self : 0, std::memory_order_acq_rel)) {
    }
    return static_cast<std::int32_t>(other) - 1;
  }

  /// This rank will not look at step k any more.
  void finish(std::uint64_t k) noexcept {
    lines_[rank_].finished.store(k, std::memory_order_release);
    ring_blocked();
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
  Area(memory::JobSegment& segment, const comm::Communicator& comm, std::uint64_t offset);

  enum class Slots : std::uint32_t { kUnknown, kReal, kRefused };
  /// But for blocked, changed only under the arena's guard.
  struct Head {
    std::uint64_t next = 0;  ///< offset of the next area of the job
    std::uint32_t context_id = 0;
    std::int32_t leader = 0;     ///< world rank of rank 0: with the context id it names the communicator
    std::uint32_t instance = 0;  ///< which area of the communicator
    std::int32_t users = 0;      ///< ranks that have not let go yet, those still to come included
    std::uint64_t bytes = 0;     ///< of the block
    Slots slots = Slots::kUnknown;
    bool refused = false;  ///< nothing but this head: every rank learns from it that there is no area
    alignas(kCacheLine) std::atomic<std::uint32_t> blocked{0};  ///< ranks that wait for others to finish a step
  };
  static constexpr std::uint64_t kHeadBytes = 2 * kCacheLine;
  static_assert(sizeof(Head) <= kHeadBytes);
  struct alignas(2 * kCacheLine) Meeting {
    std::atomic<std::uint32_t> arrived{0};
    std::atomic<std::uint32_t> waiting{0};  ///< a rank + 1
    Line result;
  };
  // Processors fetch lines in pairs: each gets a pair of its own, or reading one step would take the next from its
  // writer.
  struct alignas(2 * kCacheLine) Paired {
    Line line;
  };
  struct RankLines {
    Paired ring[kLineDepth];
    alignas(2 * kCacheLine) std::atomic<std::uint64_t> finished{0};
  };
  static_assert(sizeof(RankLines) == (kLineDepth + 1) * 2 * kCacheLine);

  /// In `finished`, of a rank that does not use the area any more.
  static constexpr std::uint64_t kLeft = ~std::uint64_t{0};

  class Directory;

  [[nodiscard]] Head& head() noexcept { return *reinterpret_cast<Head*>(base_); }
  [[nodiscard]] std::atomic<std::uint32_t>& blocked() noexcept { return head().blocked; }
  [[nodiscard]] Meeting* meetings() noexcept { return meetings_; }
  [[nodiscard]] bool others_are_gone() const noexcept;
  bool look_who_finished(std::uint64_t k, std::uint64_t depth) noexcept;

  memory::JobSegment& segment_;
  std::uint64_t offset_;
  std::int32_t rank_;
  std::int32_t ranks_;
  bool oversubscribed_;
  bool sender_fences_;
  std::byte* base_;
  Meeting* meetings_;
  RankLines* lines_;
  std::byte* slots_;
  std::int64_t slot_bytes_;
  std::uint64_t step_ = 0;
  std::uint64_t known_finished_ = 0;  ///< every rank has finished this step
  std::int32_t met_ranks_ = 0;        ///< of the current meeting: ranks whose line has been seen
  std::vector<std::int32_t> places_;  ///< of the ranks in the segment
  std::vector<memory::Doorbell*> bells_;
};

}  // namespace starling::collective
