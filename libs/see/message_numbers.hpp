// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MessageNumbers: the number of a message among those of its sender, receiver, communicator and tag. Both ends find it
// by themselves: MPI delivers the messages of such a lane in the order in which they were sent, to its receives in the
// order in which these have begun.
//
// A program may learn of its receives in another order, so a receive that is complete leaves the numbers to those that
// have begun before it and still wait for the same lane. What a receive from any source or with any tag takes is known
// only when it is complete: where such a receive overlaps with others of the same lane the two may be taken for each
// other.
//
// **Thread safety**: none. Memory: by lanes, of which there is a limit; those beyond it have no numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "observe/awaited.hpp"

namespace starling::see {

/// Of a message, as one of its ends sees it.
struct Envelope {
  std::int32_t peer = -1;  ///< world rank of the other end; of a receive that waits, negative: any
  std::int32_t tag = -1;   ///< of a receive that waits, negative: any
  std::uint32_t context = observe::Awaited::kNoContext;

  [[nodiscard]] bool is_whole() const noexcept { return peer >= 0 && tag >= 0; }
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

class MessageNumbers {
 public:
  static constexpr std::size_t kMostLanes = 1 << 16;

  /// The number of a message that is sent, from 1; 0: it has none.
  [[nodiscard]] std::uint64_t sent(const Envelope& to);

  /// A receive begins; gives back its place among the receives.
  [[nodiscard]] std::uint64_t begin() noexcept { return ++begun_; }
  /// ... and goes on beyond the call that has begun it. from: a whole one.
  void goes_on(const Envelope& from, std::uint64_t place);
  /// ... and ends without a message.
  void ends_without(const Envelope& from, std::uint64_t place);
  /// ... and has a message: its number, from 1; 0: it has none.
  [[nodiscard]] std::uint64_t received(const Envelope& from, std::uint64_t place);

 private:
  struct Hash {
    std::size_t operator()(const Envelope& envelope) const noexcept;
  };
  struct Lane {
    std::uint64_t all_until = 0;         ///< these numbers are given
    std::vector<std::uint64_t> beyond;   ///< ... and these, in order
    std::vector<std::uint64_t> waiting;  ///< places of receives, in order
  };

  /// Null: there are too many.
  [[nodiscard]] Lane* lane(const Envelope& from);

  std::uint64_t begun_ = 0;
  std::unordered_map<Envelope, std::uint64_t, Hash> sent_;
  std::unordered_map<Envelope, Lane, Hash> lanes_;
};

}  // namespace starling::see
