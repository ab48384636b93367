// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Revocations: how revocations of communicators reach this process and leave it. A revocation is a flag in the job
// segment, where all members see it; where a communicator has no flag, because its members are on several nodes or of
// several jobs, it is a control message, which spreads over the binomial graph of the members (Broadcast).
//
// Thread safety: the holder of the world's lock.
// Invariants: a revocation is delivered once, at the top of a poll. One that comes before its communicator is made here
// is kept for it; one that comes after its communicator was freed here is still passed on to the other members.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_set>
#include <utility>
#include <vector>

#include "resilience/failure_state.hpp"
#include "world/world.hpp"

namespace starling::resilience {

class Revocations {
 public:
  /// states: of all communicators that are alive.
  Revocations(world::World& world, const FailureStates& states);

  /// This process revokes the communicator.
  void revoke(FailureState& state);
  /// A revocation came as a control message.
  void receive(std::uint32_t context_id);
  /// The communicator is new here: takes over the revocation that came before it, if any.
  void take_early(FailureState& state);
  /// The communicator is freed here: a revocation that comes later is still passed on.
  void retire(FailureState& state);
  /// Looks at the flags and ends the operations on all communicators that were revoked since the last call.
  void deliver();

 private:
  /// The number of a communicator's flag in the job segment; kNoFlag: none.
  [[nodiscard]] std::uint32_t flag_of(const FailureState& state) const noexcept;
  /// Sets the flag and wakes the members that sleep. False where there is no flag.
  bool set_flag(FailureState& state);
  [[nodiscard]] bool is_flagged(const FailureState& state) const noexcept;
  void take(FailureState& state);
  void announce(std::uint32_t context_id);
  void send(std::uint32_t context_id, const Members& members, std::int32_t member);
  bool relay(std::uint32_t context_id);
  /// To who listens.
  void tell(std::uint32_t context_id);

  world::World& world_;
  const FailureStates& states_;
  bool flags_;
  std::vector<std::uint32_t> undelivered_;
  std::unordered_set<std::uint32_t> early_;               ///< of communicators that are not made here yet
  std::deque<std::pair<std::uint32_t, Members>> relays_;  ///< of freed communicators without a flag
};

}  // namespace starling::resilience
