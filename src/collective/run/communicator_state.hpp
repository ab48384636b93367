// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// CommunicatorState: what is kept between the calls of a communicator, or the starts of one of its persistent
// collectives: the sequence number that names calls, the shared memory, the choices made so far, and who is late.
// Thread safety: the holder of the world's lock.
// Invariants: the state of a persistent collective has a tag of its own, under which one start follows the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "collective/choose/algorithm.hpp"
#include "collective/choose/choice_cache.hpp"
#include "collective/choose/learnt_algorithms.hpp"
#include "collective/late/arrival_tracker.hpp"
#include "collective/node/node_memory.hpp"
#include "collective/run/call_counter.hpp"
#include "comm/communicator.hpp"

namespace starling::collective {

class CommunicatorState final : public comm::Extension {
 public:
  /// Instance 0 is the communicator's own, the others belong to its persistent collectives.
  explicit CommunicatorState(std::uint32_t instance = 0) noexcept : memory(instance), instance_(instance) {}

  /// The tag of the next call. A communicator's tags repeat after 2^27 calls; the bits above are those of
  /// levels/level_call.hpp and inter/local_call.hpp.
  [[nodiscard]] std::int32_t next_tag() noexcept {
    const auto place = static_cast<std::uint32_t>(sequence_++);
    const std::uint32_t number = instance_ == 0 ? place : instance_;
    return static_cast<std::int32_t>((number & kTagMask) | (instance_ == 0 ? 0 : kPersistentTags));
  }
  /// Which call of the communicator, or which start of the persistent collective, has the newest tag; the first is 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return sequence_; }
  /// The instance of the next persistent collective.
  [[nodiscard]] std::uint32_t next_instance() noexcept { return ++instances_; }

  /// Whether the call before was one, too, in which a root gives and waits for nobody, or one in which a root collects
  /// and nobody else waits, and had the same root: who waits for nobody may run ahead. Every rank has the same answer,
  /// for each takes note of every call for which any of them chooses an algorithm.
  [[nodiscard]] bool root_stays(Operation operation, std::int32_t root) const noexcept {
    return way_of(operation) != Way::kBoth && way_ == way_of(operation) && root_ == root;
  }
  void note_root(Operation operation, std::int32_t root) noexcept {
    way_ = way_of(operation);
    root_ = root;
  }

  // What was chosen for calls in which a rank may have nothing to send or to receive, for such ranks; null: not yet.
  [[nodiscard]] const Algorithm* chosen_without_data(Operation operation, std::int32_t root) const noexcept {
    return without_data_[place_without_data(operation, root)];
  }
  void keep_without_data(Operation operation, std::int32_t root, const Algorithm& algorithm) noexcept {
    without_data_[place_without_data(operation, root)] = &algorithm;
  }

  CallCounter counter;  ///< the communicator's, also for its persistent collectives
  NodeMemory memory;
  ChoiceCache choices;
  LearntAlgorithms learnt;
  Gate verify_gate;                         ///< held by the one call that runs while calls are verified
  std::unique_ptr<ArrivalTracker> tracker;  ///< null until a call needs it; only where there are segments

 private:
  static constexpr std::uint32_t kTagMask = 0x07ffffff;
  static constexpr std::uint32_t kPersistentTags = 0x40000000;

  enum class Way : std::uint8_t { kFromRoot, kToRoot, kBoth };
  static Way way_of(Operation operation) noexcept {
    switch (operation) {
      case Operation::kBcast:
      case Operation::kScatter:
      case Operation::kScatterv: return Way::kFromRoot;
      case Operation::kGather:
      case Operation::kGatherv: return Way::kToRoot;
      default: return Way::kBoth;
    }
  }

  /// The choice of an operation depends on nothing else here.
  [[nodiscard]] std::size_t place_without_data(Operation operation, std::int32_t root) const noexcept {
    std::size_t place = 0;
    while (kWithoutData[place] != operation) ++place;
    return place * 4 + (root_stays(operation, root) ? 2 : 0) + (memory.has_segments() ? 1 : 0);
  }
  static constexpr std::array kWithoutData = {Operation::kGatherv, Operation::kScatterv, Operation::kAlltoallv,
                                              Operation::kAlltoallw};

  std::array<const Algorithm*, kWithoutData.size() * 4> without_data_{};
  Way way_ = Way::kBoth;  ///< of the call before
  std::int32_t root_ = 0;
  std::uint32_t instance_;
  std::uint32_t instances_ = 0;  ///< persistent collectives so far
  std::uint64_t sequence_ = 0;
};

}  // namespace starling::collective
