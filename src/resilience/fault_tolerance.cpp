// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/fault_tolerance.hpp"

#include <algorithm>
#include <utility>

#include "resilience/interruption.hpp"
#include "world/communicators/make.hpp"

namespace starling::resilience {
namespace {

/// Early votes are kept up to this number; older ones belong to communicators that were freed.
constexpr std::size_t kMostEarlyVotes = 4096;

// Above the user's flags: an AND of both kinds of contribution has neither.
constexpr std::uint64_t kAgrees = std::uint64_t{1} << 32;
constexpr std::uint64_t kShrinks = std::uint64_t{1} << 33;

Status mixed() {
  return Status::error(ErrorClass::kOther,
                       "some members of the communicator call MPIX_Comm_agree where others call MPIX_Comm_shrink. All "
                       "members must make these calls in the same order; this call has no result");
}

}  // namespace

FaultTolerance::FaultTolerance(world::World& world)
    : world_(world),
      p2p_(world.p2p()),
      survives_(world.job().segment->header().survives != 0),
      failed_(static_cast<std::size_t>(world.size())),
      revocations_(world, *failure_states_) {
  p2p_.listen([this](PeerId peer, const p2p::ControlMessage& control) { receive(peer, control); });
  for (const Ref<comm::Communicator>* made : {&world.comm_world(), &world.comm_self(), &world.comm_groups()}) {
    adopt(**made);
  }
  world.set_on_new_communicator([this](comm::Communicator& made) { adopt(made); });
  world_.progress().set_event_handler(this);
}

FaultTolerance::~FaultTolerance() {
  world_.set_on_new_communicator({});
  world_.progress().set_event_handler(nullptr);
  p2p_.listen({});
}

FailureState& FaultTolerance::adopt(comm::Communicator& comm) {
  if (FailureState* known = failure_state_of(comm)) return *known;
  auto made = std::make_unique<FailureState>(comm, failure_states_);
  FailureState& failure_state = *made;
  comm.failure_state = std::move(made);
  for (const PeerId peer : failure_state.members().peers) {
    if (p2p_.has_failed(peer)) handle_failure(failure_state, peer);
  }
  revocations_.take_early(failure_state);
  const auto waiting = std::exchange(early_votes_, {});
  for (const auto& [peer, control] : waiting) receive(peer, control);
  return failure_state;
}

void FaultTolerance::handle_events() {
  for (const PeerId peer : world_.lost_peers().take()) {
    if (!p2p_.has_failed(peer)) mark_failed(peer);
  }
  // Otherwise the launcher is ending the job, and no call shall return an error before that.
  if (survives_) handle_failures();
  revocations_.deliver();
}

void FaultTolerance::handle_failures() {
  const memory::Liveness liveness = world_.job().segment->liveness();
  for (WorldRank rank{0}; rank.value < world_.size(); ++rank.value) {
    if (failed_[rank.index()] || rank == world_.rank() || !liveness.is_dead(rank)) continue;
    failed_[rank.index()] = true;
    world_.connections().for_each([&](world::JobConnection& connection) { connection.publish_death_of(rank); });
    mark_failed(peer_of(rank));
  }
  world_.connections().for_each([&](world::JobConnection& connection) {
    for (const PeerId peer : connection.dead_peers()) {
      if (!p2p_.has_failed(peer)) mark_failed(peer);
    }
  });
}

void FaultTolerance::tell_failed(PeerId peer) {
  observe::Listener* const listener = world_.progress().listeners().listener;
  if (listener == nullptr) return;
  observe::Occurrence what;
  what.kind = observe::OccurrenceKind::kProcessFailed;
  what.rank = peer.value < world_.size() ? peer.value : -1;
  listener->hear(what);
}

void FaultTolerance::mark_failed(PeerId peer) {
  tell_failed(peer);
  p2p_.mark_failed(peer);
  std::vector<FailureState*> all;
  for (const auto& [context_id, failure_state] : *failure_states_) all.push_back(failure_state);
  for (FailureState* failure_state : all) handle_failure(*failure_state, peer);
  std::vector<CommunicatorAgreements*> all_agreements;
  for (const auto& [context_id, agreements] : agreements_) all_agreements.push_back(agreements.get());
  for (CommunicatorAgreements* agreements : all_agreements) agreements->handle_failure(peer);
}

void FaultTolerance::handle_failure(FailureState& failure_state, PeerId peer) {
  const std::int32_t member = failure_state.members().find_peer(peer);
  if (member < 0) return;
  comm::Communicator& comm = failure_state.comm();
  failure_state.add_death(member);
  interrupt_collectives(world_, comm, p2p::process_failed(member));
  p2p_.suspend_wildcards(comm.context_id(), true);
}

void FaultTolerance::receive(PeerId peer, const p2p::ControlMessage& control) {
  if (control.kind == static_cast<std::int32_t>(ControlKind::kRevoke)) return revocations_.receive(control.context_id);
  const auto found = agreements_.find(control.context_id);
  if (found != agreements_.end()) return found->second->receive(peer, control);
  const auto failure_state = failure_states_->find(control.context_id);
  if (failure_state != failure_states_->end()) return agreements_of(*failure_state->second).receive(peer, control);
  early_votes_.emplace_back(peer, control);
  if (early_votes_.size() > kMostEarlyVotes) early_votes_.pop_front();
}

bool FaultTolerance::is_busy(const comm::Communicator& comm) {
  if ((comm.condition() & comm::kRevoked) != 0) return false;  // all its operations have ended
  return p2p_.busy_in(comm.context_id()) || p2p_.busy_in(comm.collective_context_id()) ||
         p2p_.busy_in(comm.partitioned_context_id());
}

void FaultTolerance::retire(const Ref<comm::Communicator>& comm) {
  std::erase_if(retired_, [&](const Ref<comm::Communicator>& freed) { return !is_busy(*freed); });
  if (is_busy(*comm)) retired_.push_back(comm);
  revocations_.retire(adopt(*comm));
}

void FaultTolerance::revoke(comm::Communicator& comm) {
  revocations_.revoke(adopt(comm));
  world_.progress().poll();
}

bool FaultTolerance::is_revoked(const comm::Communicator& comm) {
  world_.progress().poll();
  return (comm.condition() & comm::kRevoked) != 0;
}

const FailureState& FaultTolerance::look_for_deaths(comm::Communicator& comm) {
  FailureState& failure_state = adopt(comm);
  world_.progress().poll();
  return failure_state;
}

void FaultTolerance::acknowledge(comm::Communicator& comm, std::size_t count) {
  FailureState& failure_state = adopt(comm);
  failure_state.acknowledge(count);
  if ((comm.condition() & comm::kUnacknowledged) == 0) p2p_.suspend_wildcards(comm.context_id(), false);
}

CommunicatorAgreements& FaultTolerance::agreements_of(FailureState& failure_state) {
  std::unique_ptr<CommunicatorAgreements>& found = agreements_[failure_state.comm().context_id()];
  if (!found)
    found = std::make_unique<CommunicatorAgreements>(p2p_, failure_state.comm().context_id(), failure_state.members());
  return *found;
}

AgreementRequest* FaultTolerance::start_agreement(comm::Communicator& comm, std::uint64_t flags,
                                                  CommunicatorAgreements::Token token,
                                                  AgreementRequest::Conclude conclude) {
  FailureState& failure_state = adopt(comm);
  world_.progress().poll();
  Vote mine;
  mine.flags = flags;
  mine.dead = failure_state.dead();
  mine.acknowledged = failure_state.acknowledged_dead();
  return agreements_of(failure_state)
      .start(failure_state.next_agreement(), mine, std::move(token), std::move(conclude));
}

p2p::Request* FaultTolerance::start_agree(comm::Communicator& comm, std::uint64_t flags, OnAgreed done) {
  const std::uint64_t mine = (flags & 0xffffffff) | kAgrees;
  return start_agreement(comm, mine, {}, [done = std::move(done)](AgreementRequest& request) {
    const Vote& verdict = request.verdict;
    if ((verdict.flags & kAgrees) == 0) return done(mixed(), request);
    done(Agreed{verdict.flags, !verdict.acknowledged.contains(verdict.dead)}, request);
  });
}

/// The communicator of the members that the verdict does not name dead; null where a group of an intercommunicator has
/// no living member.
Ref<comm::Communicator> FaultTolerance::make_survivors(const comm::Communicator& comm, const RankSet& dead,
                                                       const world::ContextIdRange& ids) {
  const Members members(comm);
  const auto living = [&](const comm::Group& group) {
    // A group's members are numbered one after the other.
    const std::int32_t first = members.find_process(group.process(0));
    std::vector<std::int32_t> ranks;
    for (std::int32_t rank = 0; rank < group.size(); ++rank) {
      if (!dead.has(first + rank)) ranks.push_back(rank);
    }
    return comm::group_include(group, ranks);
  };
  Ref<comm::Group> ours = living(*comm.group());
  if (comm.is_inter()) {
    Ref<comm::Group> theirs = living(*comm.remote_group());
    if (theirs->size() == 0) return {};
    return world::make_inter(world_, ids, std::move(ours), std::move(theirs), comm.connected_jobs());
  }
  return world::make_intra(world_, ids.first, std::move(ours), comm.connected_jobs());
}

p2p::Request* FaultTolerance::start_shrink(comm::Communicator& comm, OnShrunk done) {
  const auto kept = Ref<comm::Communicator>::share(&comm);
  const auto token = [this, kept]() -> std::uint64_t {
    return world::ContextIds::take(world_, kept->connected_jobs(), kept->is_inter() ? world::kIdsOfInter : 1).first;
  };
  return start_agreement(comm, kShrinks, token, [this, kept, done = std::move(done)](AgreementRequest& request) {
    if ((request.verdict.flags & kShrinks) == 0) return done(mixed(), request);
    world::ContextIds taken;
    taken.first = static_cast<std::uint32_t>(request.verdict.token);
    Result<world::ContextIdRange> ids = taken.agreed(world_, kept->connected_jobs());
    if (!ids.ok()) return done(std::move(ids).status(), request);
    done(make_survivors(*kept, request.verdict.dead, ids.value()), request);
  });
}

Status FaultTolerance::gather_for_the_end() {
  STARLING_TRY(p2p_.drain());
  p2p::Request* gathered =
      start_agree(*world_.comm_world(), ~std::uint64_t{0}, [](const Result<Agreed>&, p2p::Request&) {});
  p2p_.wait(*gathered);
  gathered->dispose();
  return {};
}

}  // namespace starling::resilience
