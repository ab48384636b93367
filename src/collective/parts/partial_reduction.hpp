// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PartialReduction: what a rank has combined so far in a reduction that goes by arrival. A rank that comes takes what
// another has left, adds its own and leaves the sum for the next. So all is combined but the last rank's vector when
// the last rank comes.
//
// Nothing is predicted. At most one rank waits in the step at a time (SharedBuffer::wait_or_take). Vectors that fit a
// segment are left in shared memory, and the rank that left one goes on; longer ones, and elements with gaps, are sent
// to the rank that takes them.
//
// Thread safety: none; belongs to one coroutine.
// Invariants: a segment has one owner at a time: the rank that took what lies in it, or nobody while it waits.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp); Yew, Tzeng, Lawrie, "Distributing Hot-Spot Addressing in
// Large-Scale Multiprocessors", IEEE Trans. Computers 1987, for combining as one meets.
#pragma once

#include <atomic>
#include <cstdint>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

/// What a rank says of what it leaves, beside its flag of the step.
struct Offer {
  static constexpr std::int32_t kByMessage = -1;

  std::atomic<std::int32_t> taker{0};  ///< rank + 1 of who wants it by message
  std::int32_t segment = kByMessage;   ///< the rank in whose segment it lies
  std::int32_t contributions = 1;
};
static_assert(sizeof(Offer) == 12 && sizeof(Offer) <= Flag::kInline);

/// In which segment the result of an allreduce lies, or which rank has it to send.
struct ResultPlace {
  std::int32_t rank;
  bool by_message;
  std::int64_t bytes;
};
static_assert(sizeof(ResultPlace) == 16 && sizeof(ResultPlace) <= Flag::kInline);

class PartialReduction {
 public:
  /// `into`: where this rank wants the result, already holding its input; null if it wants none.
  PartialReduction(Call& call, const Arguments& a, SharedBuffer& shared, void* into);

  [[nodiscard]] std::uint64_t step() const noexcept { return k_; }
  [[nodiscard]] bool complete() const noexcept { return contributions_ == call_.size(); }
  [[nodiscard]] bool by_message() const noexcept { return by_message_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// How many bytes the step takes of this rank's segment.
  [[nodiscard]] std::int64_t room() const noexcept { return by_message_ ? 0 : bytes_; }
  /// Where it is, for everybody to see.
  [[nodiscard]] ResultPlace place();
  [[nodiscard]] const void* current() const noexcept { return combining_.current(); }

  /// Leaves it for others: true if it was left, else `other` has been taken instead.
  bool leave(std::int32_t& other);
  [[nodiscard]] Offer& offer_of(std::int32_t rank) noexcept;

  friend Task combine(Call& call, PartialReduction& partial, std::int32_t from);

 private:
  void combine_segment(std::int32_t segment);
  void put_into_segment();

  static constexpr std::int32_t kNoSegment = -1;

  Call& call_;
  const Arguments& a_;
  SharedBuffer& shared_;
  const datatype::Datatype& type_;
  void* into_;
  std::uint64_t k_;
  std::int64_t bytes_;
  bool by_message_;
  std::int32_t contributions_ = 1;
  std::int32_t segment_ = kNoSegment;
  Combining combining_;
};

/// Adds what another rank left.
Task combine(Call& call, PartialReduction& partial, std::int32_t from);

inline bool fits_arrival_order(const Shape& shape) noexcept { return shape.bytes > kRides; }
/// Balanced, pairs meet in a tree; behind a late rank there is only that one's vector to add.
double arrival_order_cost(const Shape& shape, const Machine& machine) noexcept;
inline constexpr const char* kArrivalOrderCost = "log2(p) * (line + m * (copy + gamma)); once when ranks come late";

/// Waits until somebody has taken what was left, and sends it if it goes by message.
Task hand_over(Call& call, PartialReduction& partial);

}  // namespace starling::collective
