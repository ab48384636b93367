// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/fault_tolerance.hpp"

#include <algorithm>
#include <utility>

#include "world/communicators/context_ids.hpp"
#include "world/communicators/intercommunicators.hpp"

namespace starling::resilience {
namespace {

/// Ballots and revocations that come too early are kept up to here: what is older belongs to communicators that were
/// freed.
constexpr std::size_t kMostEarly = 4096;

/// Of so many freed communicators a revocation is passed on yet.
constexpr std::size_t kMostRelays = 1024;

/// More than any communicator's.
constexpr std::uint32_t kNoFlag = ~std::uint32_t{0};

STARLING_CONFIG(revoke_flags, "REVOKE_FLAGS", bool, true,
                "Whether MPIX_Comm_revoke sets a flag in shared memory where all members are of one job on this node, "
                "which all see at once; else, or with 0, messages spread over the binomial graph of the members.");

// Above the user's flags: an AND of both kinds of contribution has neither.
constexpr std::uint64_t kAgrees = std::uint64_t{1} << 32;
constexpr std::uint64_t kShrinks = std::uint64_t{1} << 33;

Status mixed() {
  return Status::error(ErrorClass::kOther,
                       "some members of the communicator call MPIX_Comm_agree where others call MPIX_Comm_shrink. All "
                       "must make these calls in the same order; nothing is agreed on now");
}

}  // namespace

FaultTolerance::FaultTolerance(world::World& world)
    : world_(world),
      p2p_(world.p2p()),
      survives_(world.job().segment->header().survives != 0),
      flags_(world.config().get(revoke_flags)),
      failed_(world.job().size) {
  p2p_.listen([this](std::int32_t peer, const p2p::ControlMessage& control) { hear(peer, control); });
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
  for (const std::int32_t peer : failure_state.members().peers) {
    if (p2p_.has_failed(peer)) handle_failure(failure_state, peer);
  }
  if (early_revoked_.erase(comm.context_id()) != 0) hear_revocation(comm.context_id());
  if (world_.job().segment->is_revoked(flag_of(failure_state))) take_revocation(failure_state);
  const auto waiting = std::exchange(early_, {});
  for (const auto& [peer, control] : waiting) hear(peer, control);
  return failure_state;
}

void FaultTolerance::handle_events() {
  // Otherwise the launcher is ending the job, and nobody shall see errors before that.
  if (survives_) handle_failures();
  look_for_revocations();
  for (const std::uint32_t context_id : std::exchange(revoked_, {})) deliver_revocation(context_id);
}

void FaultTolerance::handle_failures() {
  memory::JobSegment& segment = *world_.job().segment;
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    if (failed_[rank] || static_cast<std::int32_t>(rank) == world_.rank()) continue;
    if (segment.rank(rank).state.load(std::memory_order_acquire) != memory::RankState::kDead) continue;
    failed_[rank] = true;
    world_.connections().for_each([&](world::JobConnection& connection) { connection.publish_death_of(rank); });
    mark_failed(static_cast<std::int32_t>(rank));
  }
  world_.connections().for_each([&](world::JobConnection& connection) {
    for (const std::int32_t peer : connection.dead_peers()) {
      if (!p2p_.has_failed(peer)) mark_failed(peer);
    }
  });
}

void FaultTolerance::mark_failed(std::int32_t peer) {
  p2p_.mark_failed(peer);
  std::vector<FailureState*> all;
  for (const auto& [context_id, failure_state] : *failure_states_) all.push_back(failure_state);
  for (FailureState* failure_state : all) handle_failure(*failure_state, peer);
  std::vector<CommunicatorAgreements*> all_agreements;
  for (const auto& [context_id, agreements] : agreements_) all_agreements.push_back(agreements.get());
  for (CommunicatorAgreements* agreements : all_agreements) agreements->handle_failure(peer);
}

void FaultTolerance::handle_failure(FailureState& failure_state, std::int32_t peer) {
  const std::int32_t member = failure_state.members().find_peer(peer);
  if (member < 0) return;
  comm::Communicator& comm = failure_state.comm();
  failure_state.add_death(member);
  interrupt_collectives(comm, p2p::process_failed(member));
  p2p_.suspend_wildcards(comm.context_id(), true);
}

void FaultTolerance::interrupt_collectives(comm::Communicator& comm, const Status& why) {
  const Ref<comm::Communicator>& local = comm.local();
  if (local) local->set_condition(comm.condition() & (comm::kRevoked | comm::kBroken));
  p2p_.interrupt(comm.collective_context_id(), why);
  if (local) p2p_.interrupt(local->collective_context_id(), why);
  world_.collectives().interrupt(comm, why);
  if (local) world_.collectives().interrupt(*local, why);
}

void FaultTolerance::hear(std::int32_t peer, const p2p::ControlMessage& control) {
  if (control.kind == static_cast<std::int32_t>(ControlKind::kRevoke)) return hear_revocation(control.context_id);
  const auto assembled = agreements_.find(control.context_id);
  if (assembled != agreements_.end()) return assembled->second->receive(peer, control);
  const auto failure_state = failure_states_->find(control.context_id);
  if (failure_state != failure_states_->end()) return agreements_of(*failure_state->second).receive(peer, control);
  early_.emplace_back(peer, control);
  if (early_.size() > kMostEarly) early_.pop_front();
}

void FaultTolerance::hear_revocation(std::uint32_t context_id) {
  const auto found = failure_states_->find(context_id);
  if (found == failure_states_->end()) {
    if (!relay(context_id) && early_revoked_.size() < kMostEarly) early_revoked_.insert(context_id);
    return;
  }
  FailureState& failure_state = *found->second;
  const Members& members = failure_state.members();
  const bool first = failure_state.revocation().hear(
      members.me, members.count(), [&](std::int32_t member) { pass_on(context_id, members, member); });
  if (!first) return;
  revoked_.push_back(context_id);
  world_.progress().announce_event();
}

void FaultTolerance::pass_on(std::uint32_t context_id, const Members& members, std::int32_t member) {
  p2p::ControlMessage control;
  control.context_id = context_id;
  control.kind = static_cast<std::int32_t>(ControlKind::kRevoke);
  control.source = members.me;
  p2p_.send_control(members.peers[static_cast<std::size_t>(member)], std::move(control));
}

/// Passes on the revocation of a communicator that was freed here. False when it is none.
bool FaultTolerance::relay(std::uint32_t context_id) {
  const auto found =
      std::find_if(relays_.begin(), relays_.end(), [&](const auto& freed) { return freed.first == context_id; });
  if (found == relays_.end()) return false;
  const Members members = std::move(found->second);
  relays_.erase(found);
  Broadcast once;
  return once.hear(members.me, members.count(), [&](std::int32_t member) { pass_on(context_id, members, member); });
}

bool FaultTolerance::is_busy(const comm::Communicator& comm) {
  if ((comm.condition() & comm::kRevoked) != 0) return false;  // all has been ended
  return p2p_.busy_in(comm.context_id()) || p2p_.busy_in(comm.collective_context_id()) ||
         p2p_.busy_in(comm.partitioned_context_id());
}

void FaultTolerance::retire(const Ref<comm::Communicator>& comm) {
  std::erase_if(retired_, [&](const Ref<comm::Communicator>& freed) { return !is_busy(*freed); });
  if (is_busy(*comm)) retired_.push_back(comm);
  FailureState& failure_state = adopt(*comm);
  const bool has_flag = flags_ && flag_of(failure_state) < memory::JobSegment::kRevocable;
  if (has_flag || failure_state.revocation().delivered() || failure_state.members().count() < 3) return;
  relays_.emplace_back(comm->context_id(), failure_state.members());
  if (relays_.size() > kMostRelays) relays_.pop_front();
}

void FaultTolerance::deliver_revocation(std::uint32_t context_id) {
  const auto found = failure_states_->find(context_id);
  if (found == failure_states_->end()) return;
  comm::Communicator& comm = found->second->comm();
  comm.set_condition(comm.condition() | comm::kRevoked);
  p2p_.interrupt(comm.context_id(), p2p::revoked());
  p2p_.interrupt(comm.partitioned_context_id(), p2p::revoked());
  interrupt_collectives(comm, p2p::revoked());
}

void FaultTolerance::take_revocation(FailureState& failure_state) {
  if (!failure_state.revocation().take()) return;
  revoked_.push_back(failure_state.comm().context_id());
  world_.progress().announce_event();
}

void FaultTolerance::look_for_revocations() {
  for (const auto& [context_id, failure_state] : *failure_states_) {
    if (world_.job().segment->is_revoked(flag_of(*failure_state))) take_revocation(*failure_state);
  }
}

std::uint32_t FaultTolerance::flag_of(const FailureState& failure_state) const noexcept {
  // Every rank has a communicator of its own under the context id of comm_self.
  const bool shared = !failure_state.comm().shared_domain() && failure_state.members().count() > 1;
  return shared ? failure_state.comm().context_id() / 2 : kNoFlag;
}

bool FaultTolerance::flag_revocation(FailureState& failure_state) {
  if (!flags_) return false;
  memory::JobSegment& segment = *world_.job().segment;
  if (!segment.publish_revocation(flag_of(failure_state))) return false;
  const Members& members = failure_state.members();
  for (std::int32_t i = 1; i < members.count(); ++i) {
    const std::int32_t member = (members.me + i) % members.count();
    memory::ring(segment.rank(static_cast<std::uint32_t>(members.peers[static_cast<std::size_t>(member)])).doorbell,
                 true);
  }
  return true;
}

void FaultTolerance::revoke(comm::Communicator& comm) {
  FailureState& failure_state = adopt(comm);
  if (!failure_state.revocation().delivered()) {
    if (flag_revocation(failure_state)) {
      take_revocation(failure_state);
    } else {
      hear_revocation(comm.context_id());
    }
  }
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

/// The communicator of those whom the verdict leaves; none where a side of an intercommunicator has nobody left.
Ref<comm::Communicator> FaultTolerance::make_survivors(const comm::Communicator& comm, const RankSet& dead,
                                                       std::uint32_t id) {
  const Members members(comm);
  const auto living = [&](const comm::Group& group) {
    // A group's members are numbered one after the other.
    const std::int32_t first = members.find_process(group.world_rank(0));
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
    return world::make_inter(world_, id, std::move(ours), std::move(theirs), comm.shared_domain());
  }
  const std::int32_t rank = ours->rank_of(world_.rank());
  return world_.introduce(new comm::Communicator(id, std::move(ours), rank, comm.shared_domain()));
}

p2p::Request* FaultTolerance::start_shrink(comm::Communicator& comm, OnShrunk done) {
  const auto kept = Ref<comm::Communicator>::share(&comm);
  const auto token = [this, kept]() -> std::uint64_t {
    return world::ContextIds::take(world_, kept->shared_domain(), kept->is_inter() ? world::kIdsOfInter : 1).first;
  };
  return start_agreement(comm, kShrinks, token, [this, kept, done = std::move(done)](AgreementRequest& request) {
    if ((request.verdict.flags & kShrinks) == 0) return done(mixed(), request);
    world::ContextIds ids;
    ids.first = static_cast<std::uint32_t>(request.verdict.token);
    Result<std::uint32_t> id = ids.agreed(kept->shared_domain());
    if (!id.ok()) return done(std::move(id).status(), request);
    done(make_survivors(*kept, request.verdict.dead, id.value()), request);
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
