// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PacketCounts: how many packets a rank has given to the network between the nodes, for each rank of the job, and how
// many it has taken from it. Who reads them on all nodes can tell that a rank has taken all that was given for it, so
// that nothing is under way to it (docs/design/diagnosis.md).
//
// A packet that finds no room counts at once, for the rank will give it as soon as there is room. It counts as given
// before it leaves, and as taken once it has been handled; so at any moment no more are taken than given.
//
// Thread safety: a row is written by its rank only, under the world's lock; read by anyone. The stores are relaxed: one
// of a given packet comes before a call of the system or the store that sends it, one of a taken packet is read again
// later (PacketTable::given).
// Layout: std::uint32_t[ranks of the node][world ranks + 1], the same in every process of a job; nothing on one node.
// Of a given one: twice the number of those that were sent, and 1 where one more finds no room. The last: the taken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/id.hpp"

namespace starling::observe {

using PacketCount = std::atomic<std::uint32_t>;
static_assert(sizeof(PacketCount) == 4 && PacketCount::is_always_lock_free);

/// A rank's own.
class PacketCounts {
 public:
  /// Nobody reads them.
  PacketCounts() = default;
  PacketCounts(PacketCount* row, std::uint32_t world_ranks) noexcept : given_(row), taken_(row + world_ranks) {}

  /// Before a packet leaves.
  void gives(WorldRank to) noexcept {
    if (given_ == nullptr) return;
    PacketCount& count = given_[to.index()];
    count.store((count.load(std::memory_order_relaxed) | kRefused) + 1, std::memory_order_relaxed);
  }
  /// A packet finds no room now.
  void is_refused(WorldRank to) noexcept {
    if (given_ == nullptr) return;
    PacketCount& count = given_[to.index()];
    count.store(count.load(std::memory_order_relaxed) | kRefused, std::memory_order_relaxed);
  }
  /// A packet has been handled.
  void takes() noexcept {
    if (taken_ == nullptr) return;
    taken_->store(taken_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t kRefused = 1;

  PacketCount* given_ = nullptr;
  PacketCount* taken_ = nullptr;
};

/// Those of the ranks of a node. All counts are modulo kModulus.
class PacketTable {
 public:
  static constexpr std::uint32_t kModulus = std::uint32_t{1} << 31;

  [[nodiscard]] static constexpr std::uint64_t bytes(std::uint32_t ranks, std::uint32_t world_ranks) noexcept {
    return world_ranks > ranks ? std::uint64_t{ranks} * (world_ranks + 1) * sizeof(PacketCount) : 0;
  }

  PacketTable() = default;
  /// memory: of bytes(ranks, world_ranks), zero at first.
  PacketTable(std::byte* memory, std::uint32_t ranks, std::uint32_t world_ranks) noexcept
      : counts_(world_ranks > ranks ? reinterpret_cast<PacketCount*>(memory) : nullptr),
        ranks_(ranks),
        world_ranks_(world_ranks) {}

  /// The job is on one node.
  [[nodiscard]] bool empty() const noexcept { return counts_ == nullptr; }
  [[nodiscard]] PacketCounts of(LocalRank rank) const noexcept {
    return empty() ? PacketCounts() : PacketCounts(row(rank.index()), world_ranks_);
  }

  /// What the ranks of this node have given for a rank of another one, or want to give. No less than that rank had
  /// taken of it when its count was read before.
  [[nodiscard]] std::uint32_t given(WorldRank to) const noexcept {
    std::uint32_t sum = 0;
    for (std::size_t from = 0; from < ranks_ && !empty(); ++from) {
      const std::uint32_t count = row(from)[to.index()].load(std::memory_order_relaxed);
      sum += count / 2 + count % 2;
    }
    return sum % kModulus;
  }
  /// What a rank of this node has taken from the ranks of others.
  [[nodiscard]] std::uint32_t taken(LocalRank rank) const noexcept {
    return empty() ? 0 : row(rank.index())[world_ranks_].load(std::memory_order_relaxed) % kModulus;
  }

 private:
  [[nodiscard]] PacketCount* row(std::size_t rank) const noexcept { return counts_ + rank * (world_ranks_ + 1); }

  PacketCount* counts_ = nullptr;
  std::uint32_t ranks_ = 0;
  std::uint32_t world_ranks_ = 0;
};

}  // namespace starling::observe
