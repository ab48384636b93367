// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/revocations.hpp"

#include <algorithm>

#include "resilience/communicator_agreements.hpp"
#include "resilience/interruption.hpp"

namespace starling::resilience {
namespace {

/// Early revocations are kept up to this number; older ones belong to communicators that were freed.
constexpr std::size_t kMostEarlyRevocations = 4096;

/// A revocation is passed on for this number of freed communicators.
constexpr std::size_t kMostRelays = 1024;

/// More than any communicator's.
constexpr std::uint32_t kNoFlag = ~std::uint32_t{0};

STARLING_CONFIG(revoke_flags, "REVOKE_FLAGS", bool, true, kProcess, kProcess,
                "Whether MPIX_Comm_revoke sets a flag in shared memory where all members are of one job on this node, "
                "which all see at once; else, or with 0, messages spread over the binomial graph of the members.");

}  // namespace

Revocations::Revocations(world::World& world, const FailureStates& states)
    : world_(world), states_(states), flags_(world.config().get(revoke_flags)) {}

void Revocations::revoke(FailureState& state) {
  if (state.revocation().delivered()) return;
  if (set_flag(state)) {
    take(state);
  } else {
    receive(state.comm().context_id());
  }
}

void Revocations::receive(std::uint32_t context_id) {
  const auto found = states_.find(context_id);
  if (found == states_.end()) {
    if (!relay(context_id) && early_.size() < kMostEarlyRevocations) early_.insert(context_id);
    return;
  }
  const Members& members = found->second->members();
  const bool first = found->second->revocation().hear(members.me, members.count(),
                                                      [&](std::int32_t member) { send(context_id, members, member); });
  if (first) announce(context_id);
}

void Revocations::take_early(FailureState& state) {
  if (early_.erase(state.comm().context_id()) != 0) receive(state.comm().context_id());
  if (is_flagged(state)) take(state);
}

void Revocations::retire(FailureState& state) {
  const bool has_flag = flags_ && flag_of(state) < memory::JobSegment::kRevocable;
  if (has_flag || state.revocation().delivered() || state.members().count() < 3) return;
  relays_.emplace_back(state.comm().context_id(), state.members());
  if (relays_.size() > kMostRelays) relays_.pop_front();
}

void Revocations::deliver() {
  for (const auto& [context_id, state] : states_) {
    if (is_flagged(*state)) take(*state);
  }
  for (const std::uint32_t context_id : std::exchange(undelivered_, {})) {
    const auto found = states_.find(context_id);
    if (found == states_.end()) continue;
    comm::Communicator& comm = found->second->comm();
    comm.set_condition(comm.condition() | comm::kRevoked);
    interrupt_all(world_, comm, p2p::revoked());
    tell(context_id);
  }
}

/// To who listens.
void Revocations::tell(std::uint32_t context_id) {
  observe::Listener* const listener = world_.progress().listeners().listener;
  if (listener == nullptr) return;
  observe::Occurrence what;
  what.kind = observe::OccurrenceKind::kCommunicatorRevoked;
  what.context_id = context_id;
  listener->hear(what);
}

/// The revocation came by the flag, which every member sees, so there is nothing to pass on.
void Revocations::take(FailureState& state) {
  if (state.revocation().take()) announce(state.comm().context_id());
}

void Revocations::announce(std::uint32_t context_id) {
  undelivered_.push_back(context_id);
  world_.progress().announce_event();
}

void Revocations::send(std::uint32_t context_id, const Members& members, std::int32_t member) {
  p2p::ControlMessage control;
  control.context_id = context_id;
  control.kind = static_cast<std::int32_t>(ControlKind::kRevoke);
  control.source = members.me;
  world_.p2p().send_control(members.peers[static_cast<std::size_t>(member)], std::move(control));
}

/// Passes on the revocation of a communicator that was freed here. False when there is no such communicator.
bool Revocations::relay(std::uint32_t context_id) {
  const auto found =
      std::find_if(relays_.begin(), relays_.end(), [&](const auto& freed) { return freed.first == context_id; });
  if (found == relays_.end()) return false;
  const Members members = std::move(found->second);
  relays_.erase(found);
  Broadcast once;
  return once.hear(members.me, members.count(), [&](std::int32_t member) { send(context_id, members, member); });
}

std::uint32_t Revocations::flag_of(const FailureState& state) const noexcept {
  const comm::Communicator& comm = state.comm();
  const bool all_see_it = !comm.connected_jobs() && comm.shared_domain() != nullptr;
  // Every rank has a communicator of its own under the context id of comm_self.
  return all_see_it && state.members().count() > 1 ? comm.context_id() / 2 : kNoFlag;
}

bool Revocations::is_flagged(const FailureState& state) const noexcept {
  return world_.job().segment->is_revoked(flag_of(state));
}

bool Revocations::set_flag(FailureState& state) {
  if (!flags_) return false;
  memory::JobSegment& segment = *world_.job().segment;
  if (!segment.publish_revocation(flag_of(state))) return false;
  const Members& members = state.members();
  for (std::int32_t i = 1; i < members.count(); ++i) {
    const std::int32_t member = (members.me + i) % members.count();
    const ProcessId process = members.processes[static_cast<std::size_t>(member)];
    memory::ring(segment.rank(state.comm().shared_domain()->local_rank(process)).doorbell, true);
  }
  return true;
}

}  // namespace starling::resilience
