// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Wait: what a wait waits for, as the waiting rank describes it: its kind, how many operations are pending, and the
// first of them. Only a wait that has become long is described.
//
// Thread safety: value types.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/id.hpp"

namespace starling::observe {

/// How a wait ends. Its number is shared with other processes.
enum class WaitKind : std::uint8_t {
  kOther = 0,       ///< nothing is known
  kOne = 1,         ///< when its one operation is complete
  kAll = 2,         ///< when all are
  kAny = 3,         ///< when one of them is
  kSome = 4,        ///< the same, for a call that reports all that are complete
  kCollective = 5,  ///< when a collective is complete; nonblocking ones are operations of the kinds above
  kWindow = 6,      ///< when other ranks have reached a point in their use of a window
  kFile = 7,        ///< when an operation of a file is complete
  kFinalize = 8,    ///< when all ranks are in MPI_Finalize
  kTestLoop = 9,    ///< no wait: a row of tests or probes that find nothing, so the program may do other things
  kConnection = 10  ///< when a process of another job comes or answers
};

/// What an operation is. Its number is shared with other processes.
enum class AwaitedAs : std::uint8_t {
  kOther = 0,  ///< nothing is known of it (a generalized request, say): anything may complete it
  kReceive = 1,
  kSend = 2,  ///< that the receiver has to match, or to make room for
  kProbe = 3,
  kCollective = 4,  ///< the tag is its number on the communicator, counted from 1
  kPartitioned = 5,
  kWindow = 6  ///< what the peer has to do with a window: to post, to complete, to give a lock back, to answer
};

/// An operation that a wait waits for.
struct Awaited {
  static constexpr std::uint32_t kNoContext = ~std::uint32_t{0};

  PeerId peer;                            ///< in the own job the world rank; none: any, or not known
  std::int32_t tag = -1;                  ///< negative: any, or none
  std::uint32_t context_id = kNoContext;  ///< of the communicator (comm::Communicator::context_id)
  AwaitedAs as = AwaitedAs::kOther;
  /// The two sides have found each other, and the message is being moved: the other side need not do anything more.
  bool under_way = false;

  friend bool operator==(const Awaited&, const Awaited&) = default;
};

class Wait {
 public:
  /// Operations of which more than their number is told.
  static constexpr std::size_t kMost = 16;

  explicit Wait(WaitKind kind = WaitKind::kOther) noexcept : kind_(kind) {}
  Wait(WaitKind kind, const Awaited& only) noexcept : kind_(kind) { add(only); }

  void add(const Awaited& awaited) noexcept {
    if (told_ < kMost) awaited_[told_++] = awaited;
    ++pending_;
  }
  /// Operations of which only the number is told.
  void add_untold(std::uint32_t count) noexcept { pending_ += count; }

  [[nodiscard]] WaitKind kind() const noexcept { return kind_; }
  /// All that are not complete.
  [[nodiscard]] std::uint32_t pending() const noexcept { return pending_; }
  [[nodiscard]] std::span<const Awaited> awaited() const noexcept { return {awaited_.data(), told_}; }
  /// There are more than awaited() tells.
  [[nodiscard]] bool has_more() const noexcept { return pending_ > told_; }

 private:
  WaitKind kind_;
  std::uint32_t pending_ = 0;
  std::size_t told_ = 0;
  std::array<Awaited, kMost> awaited_;
};

}  // namespace starling::observe
