// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// State: what the collective engine keeps with each communicator, and with each persistent collective: the sequence
// number that names calls, the shared memory, the choices made so far, and who is late.
// Thread safety: the holder of the world's lock.
// Invariants: calls pass the area's gate in the order in which they were made, which is the same on every rank. The
// state of a persistent collective has a tag of its own, under which one start follows the other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/coroutine/executor.hpp"
#include "collective/late/arrival_tracker.hpp"
#include "collective/node/shared_buffer.hpp"
#include "comm/communicator.hpp"

namespace starling::collective {

class State final : public comm::Extension {
 public:
  /// Instance 0 is the communicator's own, the others belong to its persistent collectives.
  explicit State(std::uint32_t instance = 0) noexcept : instance_(instance) {}

  /// The tag of the next call. A communicator's tags repeat after 2^29 calls.
  [[nodiscard]] std::int32_t next_tag() noexcept {
    const std::uint32_t tag = instance_ == 0 ? sequence_++ & kTagMask : kPersistentTags | (instance_ & kTagMask);
    return static_cast<std::int32_t>(tag);
  }
  /// The instance of the next persistent collective.
  [[nodiscard]] std::uint32_t next_instance() noexcept { return ++instances_; }

  Gate area_gate;    ///< held by the one call that uses the area
  Gate verify_gate;  ///< held by the one call that runs while calls are verified

  std::unique_ptr<Area> area;  ///< null: the ranks share no memory, or there was none to be had
  bool area_settled = false;   ///< whether there is an area is known
  bool slots_settled = false;  ///< whether it has slots is known
  bool slots = false;

  std::unique_ptr<Foresight> foresight;  ///< null until a call needs it; only where there are slots
  Outlook outlook;                       ///< of the blocking call that runs now

  /// Finds out what shared memory a call on comm may use; the answer is the same on every rank.
  void settle_memory(memory::JobSegment& segment, const comm::Communicator& comm, bool with_slots);

  /// Choices made before, so that a repeated call does not weigh all algorithms again.
  [[nodiscard]] const Algorithm* remembered(const Shape& shape) const noexcept {
    const Memo& memo = memos_[place(shape)];
    return memo.algorithm != nullptr && memo.key == key(shape) && memo.bytes == shape.bytes ? memo.algorithm : nullptr;
  }
  void remember(const Shape& shape, const Algorithm& algorithm) noexcept {
    memos_[place(shape)] = Memo{key(shape), shape.bytes, &algorithm};
  }

 private:
  struct Memo {
    std::uint32_t key = 0;
    std::int64_t bytes = 0;
    const Algorithm* algorithm = nullptr;
  };
  static constexpr std::size_t kMemos = 64;

  static std::uint32_t key(const Shape& shape) noexcept {
    return static_cast<std::uint32_t>(shape.operation) << 8 | (shape.commutative ? 1U : 0U) | (shape.dense ? 2U : 0U) |
           (shape.slots ? 4U : 0U) | (shape.foreseen ? 8U : 0U) | (shape.late ? 16U : 0U);
  }
  static std::size_t place(const Shape& shape) noexcept {
    const auto bytes = static_cast<std::uint64_t>(shape.bytes);
    return (static_cast<std::size_t>(shape.operation) * 5 + bytes + (bytes >> 6) + (bytes >> 12)) % kMemos;
  }

  static constexpr std::uint32_t kTagMask = 0x1fffffff;
  static constexpr std::uint32_t kPersistentTags = 0x40000000;

  std::uint32_t instance_;
  std::uint32_t instances_ = 0;  ///< persistent collectives so far
  std::uint32_t sequence_ = 0;
  std::array<Memo, kMemos> memos_;
};

/// The one call that uses the area. Leaves it when it dies.
class Turn {
 public:
  explicit Turn(Call& call) noexcept : call_(call), gate_lock_(call.state().area_gate, call.executor()) {}

  Gate::Entry enter() noexcept { return gate_lock_.enter(); }
  [[nodiscard]] Area& area() const noexcept { return *call_.state().area; }

 private:
  Call& call_;
  GateLock gate_lock_;
};

}  // namespace starling::collective
