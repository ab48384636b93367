// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LearntAlgorithms: for long calls on a node, which of two algorithms is the quicker one: the one that the cost model
// picks, or its rival, by messages where that one shares memory and the other way round. Which wins
// depends on the machine's caches and on whether the program writes anew what it sends, and the model knows neither.
//
// One rank leads: it times the calls (tuning/quicker_way.hpp), and at the first call of each block of calls the ranks
// agree on what it says, by a broadcast of one byte. It is one that the others wait for anyway: the root of a scatter,
// or any where each waits for all. So calls of a root that collects take no part: its ranks would wait for one that may
// come late. Nor do broadcasts, in which nothing was won (2 to 8 ranks on a Xeon, 16 to 512 KiB: 0.97 to 1.18 of the
// time). Reductions take part where another algorithm gives the same bits: of two ranks, by a predefined operator.
//
// Thread safety: none; one owner. Invariants: all ranks have the same entries, for they make the same calls.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.hpp"
#include "collective/choose/selector.hpp"
#include "tuning/quicker_way.hpp"

namespace starling::collective {

class LearntAlgorithm {
 public:
  /// rival: null where there is nothing to learn. calls: of a block. seed: of when it is tried.
  LearntAlgorithm(const Algorithm& first, const Algorithm* rival, std::uint32_t calls, std::int32_t leader,
                  std::uint32_t seed) noexcept
      : first_(&first), rival_(rival), calls_(calls), leader_(leader), quicker_(seed) {}

  [[nodiscard]] std::int32_t leader() const noexcept { return leader_; }
  /// The algorithm as last agreed.
  [[nodiscard]] const Algorithm& held() const noexcept { return takes_rival_ ? *rival_ : *first_; }

  /// Counts a call. Whether the ranks have to agree before it.
  [[nodiscard]] bool begins_block() noexcept {
    if (rival_ == nullptr) return false;
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  /// What the leader then tells the others: whether the rival is taken.
  [[nodiscard]] bool takes_rival_next() noexcept { return quicker_.next_is_second(); }
  /// On the algorithm of this call and the others of the block.
  void agree(bool takes_rival) noexcept {
    takes_rival_ = takes_rival;
    left_ = calls_ - 1;
  }

 private:
  const Algorithm* first_;
  const Algorithm* rival_;
  std::uint32_t calls_;
  std::int32_t leader_;
  std::uint32_t left_ = 0;
  bool takes_rival_ = false;
  tuning::BasicQuickerWay<&cycles, 1> quicker_;  ///< of blocks; the leader's
};

/// Before a call of which ranks learn: they agree on its algorithm. agree(byte): a broadcast from the leader.
template <typename Agree>
Status agree_on_next(LearntAlgorithm& learnt, std::int32_t rank, Agree&& agree) {
  if (!learnt.begins_block()) return {};
  std::uint8_t takes_rival = rank == learnt.leader() && learnt.takes_rival_next() ? 1 : 0;
  STARLING_TRY(agree(&takes_rival));
  learnt.agree(takes_rival != 0);
  return {};
}

class LearntAlgorithms {
 public:
  /// Shorter blocks are not worth the agreement, and of a root, which may run ahead, none below twice as long.
  static constexpr std::int64_t kLeastBytes = 16 * 1024;

  /// Whether ranks learn the algorithm of calls of this shape, if it has a rival. The operator of a reduction is a
  /// predefined one.
  [[nodiscard]] static bool is_learnt(const Shape& shape) noexcept {
    const bool waits_for_all = shape.operation == Operation::kAlltoall || shape.operation == Operation::kAllgather ||
                               shape.operation == Operation::kAllgatherv ||
                               (reduces_to_all(shape.operation) && shape.ranks == 2 && !shape.reproducible);
    const bool is_on_node = shape.has_segments && !shape.inter && shape.nodes <= 1 && shape.ranks > 1;
    return is_on_node && !shape.predicted && (waits_for_all || has_root(shape)) &&
           block_bytes(shape) >= (has_root(shape) ? 2 : 1) * kLeastBytes;
  }
  /// What is known of calls of this shape, made if it is not; null where ranks do not learn. All of them ask for each
  /// call.
  LearntAlgorithm* find(const Shape& shape, std::int32_t root, const Selector& selector) {
    last_ = nullptr;
    if (!is_learnt(shape)) return nullptr;
    if (!entries_) entries_ = std::make_unique<std::array<Entry, kEntries>>();
    const std::int32_t leader = has_root(shape) ? root : 0;
    Entry& entry = (*entries_)[place(shape)];
    if (!entry.is_for(shape, leader)) entry = Entry(shape, leader, selector);
    last_ = &*entry.learnt;
    return last_;
  }
  /// What find() has found last.
  [[nodiscard]] LearntAlgorithm* last() const noexcept { return last_; }

 private:
  struct Entry {
    Entry() = default;
    Entry(const Shape& shape, std::int32_t leader, const Selector& selector)
        : operation(shape.operation),
          bytes(shape.bytes),
          root_stays(shape.root_stays),
          learnt(std::in_place, selector.choose(shape), selector.rival(shape), calls_of_block(shape), leader,
                 static_cast<std::uint32_t>(place(shape))) {}
    [[nodiscard]] bool is_for(const Shape& shape, std::int32_t leader) const noexcept {
      return learnt && operation == shape.operation && bytes == shape.bytes && root_stays == shape.root_stays &&
             learnt->leader() == leader;
    }

    Operation operation = Operation::kBarrier;
    std::int64_t bytes = 0;
    bool root_stays = false;
    std::optional<LearntAlgorithm> learnt;
  };
  static constexpr std::size_t kEntries = 16;

  [[nodiscard]] static bool reduces_to_all(Operation operation) noexcept {
    return operation == Operation::kAllreduce || operation == Operation::kReduceScatter ||
           operation == Operation::kReduceScatterBlock;
  }
  [[nodiscard]] static bool has_root(const Shape& shape) noexcept { return shape.operation == Operation::kScatter; }
  [[nodiscard]] static std::int64_t block_bytes(const Shape& shape) noexcept {
    return shape.operation == Operation::kAllgatherv ? shape.bytes / shape.ranks : shape.bytes;
  }
  /// Long calls need fewer to be told apart.
  [[nodiscard]] static std::uint32_t calls_of_block(const Shape& shape) noexcept {
    constexpr std::int64_t kBytesOfBlock = 2 * 1024 * 1024;
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(kBytesOfBlock / (block_bytes(shape) * shape.ranks), 2, 8));
  }
  [[nodiscard]] static std::size_t place(const Shape& shape) noexcept {
    const auto bytes = static_cast<std::uint64_t>(shape.bytes);
    return (static_cast<std::size_t>(shape.operation) * 5 + (bytes >> 10) + (bytes >> 14) + (bytes >> 18) +
            (shape.root_stays ? 3 : 0)) %
           kEntries;
  }

  std::unique_ptr<std::array<Entry, kEntries>> entries_;
  LearntAlgorithm* last_ = nullptr;
};

}  // namespace starling::collective
