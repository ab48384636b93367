// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LearntAlgorithms: for long calls on a node, which of two algorithms is the quicker one: the one that the cost model
// picks, or its rival, by messages where that one shares memory and the other way round. Which wins
// depends on the machine's caches and on whether the program writes anew what it sends, and the model knows neither.
//
// One rank leads: it times the calls (tuning/quicker_way.hpp), and at the first call of each block of calls the ranks
// agree on what it says, by a broadcast of one byte. It is one that the others wait for anyway: the root of a scatter,
// or any where each waits for all; of two ranks, the one that gives the other its data. So calls of more ranks in which
// a root collects take no part: its ranks would wait for one that may come late. Nor do broadcasts to several, in which
// nothing was won (4 and 8 ranks on a Xeon, 16 to 512 KiB: 0.97 to 1.18 of the time). Reductions take part where
// another algorithm gives the same bits: of two ranks, by a predefined operator.
//
// Thread safety: none; one owner. Invariants: all ranks have the same entries, for they make the same calls.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.hpp"
#include "collective/choose/selector.hpp"
#include "tuning/quicker_way.hpp"

namespace starling::collective {

class LearntAlgorithm {
 public:
  struct Facts {
    const Algorithm* first;
    const Algorithm* rival;  ///< null where there is nothing to learn
    std::uint32_t calls;     ///< of a block
    std::int32_t leader;
    bool is_pair;        ///< the ranks are two
    std::uint32_t seed;  ///< of when the rival is tried
  };
  explicit LearntAlgorithm(const Facts& facts) noexcept
      : first_(facts.first),
        rival_(facts.rival),
        calls_(facts.calls),
        leader_(facts.leader),
        is_pair_(facts.is_pair),
        left_(facts.calls),
        quicker_(facts.seed) {}

  [[nodiscard]] std::int32_t leader() const noexcept { return leader_; }
  /// The algorithm as last agreed.
  [[nodiscard]] const Algorithm& held() const noexcept { return takes_rival_ ? *rival_ : *first_; }
  /// Whether its messages are to be copied once. Messages through buffers are copied twice, as data in shared memory
  /// are; and those of short trials would never learn which way is the better one (p2p/protocol/copy_choice.hpp).
  [[nodiscard]] bool copies_once() const noexcept { return takes_rival_ && is_pair_ && !shares_memory(*rival_); }

  /// Counts a call. Whether the ranks have to agree before it: not before the first block, for the program may make no
  /// other such call.
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
  [[nodiscard]] static bool shares_memory(const Algorithm& algorithm) noexcept {
    return (algorithm.needs & kSharedBuffer) != 0;
  }

  const Algorithm* first_;
  const Algorithm* rival_;
  std::uint32_t calls_;
  std::int32_t leader_;
  bool is_pair_;
  std::uint32_t left_;
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
  /// Shorter blocks are not worth the agreement.
  static constexpr std::int64_t kLeastBytes = 16 * 1024;

  /// Whether ranks learn the algorithm of calls of this shape, if it has a rival. The operator of a reduction is a
  /// predefined one.
  [[nodiscard]] static bool is_learnt(const Shape& shape) noexcept {
    const bool is_on_node = shape.has_segments && !shape.inter && shape.nodes <= 1 && shape.ranks > 1;
    return is_on_node && !shape.predicted && block_bytes(shape) >= least_bytes(shape);
  }
  /// What is known of calls of this shape, made if it is not; null where ranks do not learn. All of them ask for each
  /// call.
  LearntAlgorithm* find(const Shape& shape, std::int32_t root, const Selector& selector) {
    if (!is_learnt(shape)) return nullptr;
    if (!entries_) entries_ = std::make_unique<std::array<Entry, kEntries>>();
    const std::int32_t leader = leader_of(shape, root);
    Entry& entry = (*entries_)[place(shape, leader)];
    if (!entry.is_for(shape, leader)) entry = Entry(shape, leader, selector);
    return &*entry.learnt;
  }

 private:
  struct Entry {
    Entry() = default;
    Entry(const Shape& shape, std::int32_t leader, const Selector& selector)
        : operation(shape.operation),
          bytes(shape.bytes),
          root_stays(shape.root_stays),
          learnt(LearntAlgorithm::Facts{&selector.choose(shape), selector.rival(shape), calls_of_block(shape), leader,
                                        shape.ranks == 2, static_cast<std::uint32_t>(place(shape, leader))}) {}
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

  enum class Leads : std::uint8_t { kNobody, kAny, kRoot, kOther };  ///< kOther: than the root, of two ranks
  [[nodiscard]] static Leads leads(const Shape& shape) noexcept {
    const bool is_pair = shape.ranks == 2;
    switch (shape.operation) {
      case Operation::kAlltoall:
      case Operation::kAllgather:
      case Operation::kAllgatherv: return Leads::kAny;
      case Operation::kScatter: return Leads::kRoot;
      case Operation::kBcast:
      case Operation::kScatterv: return is_pair ? Leads::kRoot : Leads::kNobody;
      case Operation::kGather:
      case Operation::kGatherv: return is_pair ? Leads::kOther : Leads::kNobody;
      case Operation::kReduce: return is_pair && !shape.reproducible ? Leads::kOther : Leads::kNobody;
      case Operation::kAllreduce:
      case Operation::kReduceScatter:
      case Operation::kReduceScatterBlock: return is_pair && !shape.reproducible ? Leads::kAny : Leads::kNobody;
      default: return Leads::kNobody;
    }
  }
  [[nodiscard]] static std::int32_t leader_of(const Shape& shape, std::int32_t root) noexcept {
    const Leads who = leads(shape);
    if (who == Leads::kAny) return 0;
    return who == Leads::kRoot ? root : 1 - root;
  }
  /// Of a block: with more ranks, where a root may run ahead, twice as much.
  [[nodiscard]] static std::int64_t least_bytes(const Shape& shape) noexcept {
    const Leads who = leads(shape);
    if (who == Leads::kNobody) return std::numeric_limits<std::int64_t>::max();
    if (shape.ranks == 2) return kLeastBytes;
    return who == Leads::kRoot ? 2 * kLeastBytes : kLeastBytes;
  }
  [[nodiscard]] static std::int64_t block_bytes(const Shape& shape) noexcept {
    return shape.operation == Operation::kAllgatherv ? shape.bytes / shape.ranks : shape.bytes;
  }
  /// Long calls need fewer to be told apart.
  [[nodiscard]] static std::uint32_t calls_of_block(const Shape& shape) noexcept {
    constexpr std::int64_t kBytesOfBlock = 2 * 1024 * 1024;
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(kBytesOfBlock / (block_bytes(shape) * shape.ranks), 2, 16));
  }
  [[nodiscard]] static std::size_t place(const Shape& shape, std::int32_t leader) noexcept {
    const auto bytes = static_cast<std::uint64_t>(shape.bytes);
    return (static_cast<std::size_t>(shape.operation) * 5 + (bytes >> 10) + (bytes >> 14) + (bytes >> 18) +
            (shape.root_stays ? 3 : 0) + static_cast<std::size_t>(leader) * 7) %
           kEntries;
  }

  std::unique_ptr<std::array<Entry, kEntries>> entries_;
};

}  // namespace starling::collective
