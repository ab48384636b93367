// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a rank has combined so far in a reduction that goes by arrival: whoever comes takes what another has left, adds
// its own and leaves the sum for the next, so that all is combined but the last rank's vector when that comes.
//
// Nothing is predicted. At most one rank waits in the step at a time (Area::wait_or_take). Vectors that fit a slot are
// left in shared memory, and who left one goes its way; longer ones, and elements with gaps, are sent to who takes
// them.
//
// Thread safety: none; belongs to one coroutine.
// Invariants: a slot has one owner at a time: the rank that took what lies in it, or nobody while it waits.
// Source: Parsons, Pai 2015 (see node/shared_buffer.hpp); Yew, Tzeng, Lawrie, "Distributing Hot-Spot Addressing in
// Large-Scale Multiprocessors", IEEE Trans. Computers 1987, for combining as one meets.
#pragma once

#include <atomic>
#include <cstdint>

#include "collective/node/contributions.hpp"
#include "collective/parts/combining.hpp"

namespace starling::collective {

/// What a rank says of what it leaves, in its line of the step.
struct Offer {
  static constexpr std::int32_t kByMessage = -1;

  std::atomic<std::int32_t> taker{0};  ///< rank + 1 of who wants it by message
  std::int32_t slot = kByMessage;      ///< the rank in whose slot it lies
  std::int32_t contributions = 1;
};
static_assert(sizeof(Offer) <= Line::kInline);

/// In which slot the result of an allreduce lies, or which rank has it to send.
struct Place {
  std::int32_t rank;
  bool by_message;
  std::int64_t bytes;
};
static_assert(sizeof(Place) <= Line::kInline);

class Partial {
 public:
  /// `into`: where this rank wants the result, already holding its input; null if it wants none.
  Partial(Call& call, const Arguments& a, Area& area, void* into);

  [[nodiscard]] std::uint64_t step() const noexcept { return k_; }
  [[nodiscard]] bool complete() const noexcept { return contributions_ == call_.size(); }
  [[nodiscard]] bool by_message() const noexcept { return by_message_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }
  /// How much of this rank's line and slot the step takes.
  [[nodiscard]] std::int64_t room() const noexcept { return by_message_ ? 0 : bytes_; }
  /// Where it is, for everybody to see.
  [[nodiscard]] Place place();
  [[nodiscard]] const void* current() const noexcept { return combining_.current(); }

  /// Leaves it for others: true if it was left, else `other` has been taken instead.
  bool leave(std::int32_t& other);
  [[nodiscard]] Offer& offer_of(std::int32_t rank) noexcept;

  friend Task combine(Call& call, Partial& partial, std::int32_t from);

 private:
  void combine_slot(std::int32_t slot);
  void put_into_slot();

  static constexpr std::int32_t kNoSlot = -1;

  Call& call_;
  const Arguments& a_;
  Area& area_;
  const datatype::Datatype& type_;
  void* into_;
  std::uint64_t k_;
  std::int64_t bytes_;
  bool by_message_;
  std::int32_t contributions_ = 1;
  std::int32_t slot_ = kNoSlot;
  Combining combining_;
};

/// Adds what another rank left.
Task combine(Call& call, Partial& partial, std::int32_t from);

inline bool takes_as_they_come(const Shape& shape) noexcept {
  return shape.bytes > static_cast<std::int64_t>(Line::kInline);
}
/// Balanced, pairs meet in a tree; behind a late rank there is only that one's vector to add.
double as_they_come_cost(const Shape& shape, const Machine& machine) noexcept;
inline constexpr const char* kAsTheyComeCost = "log2(p) * (line + m * (copy + gamma)); once when ranks come late";

/// Waits until somebody has taken what was left, and sends it if it goes by message.
Task hand_over(Call& call, Partial& partial);

}  // namespace starling::collective
