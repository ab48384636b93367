// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/engine.hpp"

#include <algorithm>
#include <utility>

#include "world/context_ids.hpp"
#include "world/intercommunicators.hpp"

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

Engine::Engine(world::World& world)
    : world_(world),
      p2p_(world.p2p()),
      survives_(world.job().segment->header().survives != 0),
      flags_(world.config().get(revoke_flags)),
      buried_(world.job().size) {
  p2p_.listen([this](std::int32_t peer, const p2p::Signal& signal) { hear(peer, signal); });
  for (const Ref<comm::Communicator>* made : {&world.comm_world(), &world.comm_self(), &world.comm_groups()}) {
    adopt(**made);
  }
  world.set_on_new_communicator([this](comm::Communicator& made) { adopt(made); });
  world_.progress().set_news(this);
}

Engine::~Engine() {
  world_.set_on_new_communicator({});
  world_.progress().set_news(nullptr);
  p2p_.listen({});
}

Standing& Engine::adopt(comm::Communicator& comm) {
  if (Standing* known = standing_of(comm)) return *known;
  auto made = std::make_unique<Standing>(comm, standings_);
  Standing& standing = *made;
  comm.standing = std::move(made);
  for (const std::int32_t peer : standing.members().peers) {
    if (p2p_.is_buried(peer)) mourn(standing, peer);
  }
  if (early_revoked_.erase(comm.context_id()) != 0) hear_revocation(comm.context_id());
  if (world_.job().segment->is_revoked(flag_of(standing))) take_revocation(standing);
  const auto waiting = std::exchange(early_, {});
  for (const auto& [peer, signal] : waiting) hear(peer, signal);
  return standing;
}

void Engine::tell() {
  // Otherwise the launcher is ending the job, and nobody shall see errors before that.
  if (survives_) bury_the_dead();
  look_for_revocations();
  for (const std::uint32_t context_id : std::exchange(revoked_, {})) deliver_revocation(context_id);
}

void Engine::bury_the_dead() {
  memory::JobSegment& segment = *world_.job().segment;
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    if (buried_[rank] || static_cast<std::int32_t>(rank) == world_.rank()) continue;
    if (segment.rank(rank).state.load(std::memory_order_acquire) != memory::RankState::kDead) continue;
    buried_[rank] = true;
    world_.links().for_each([&](world::Link& link) { link.publish_death_of(rank); });
    bury(static_cast<std::int32_t>(rank));
  }
  world_.links().for_each([&](world::Link& link) {
    for (const std::int32_t peer : link.dead_peers()) {
      if (!p2p_.is_buried(peer)) bury(peer);
    }
  });
}

void Engine::bury(std::int32_t peer) {
  p2p_.bury(peer);
  std::vector<Standing*> all;
  for (const auto& [context_id, standing] : *standings_) all.push_back(standing);
  for (Standing* standing : all) mourn(*standing, peer);
  std::vector<Parliament*> parliaments;
  for (const auto& [context_id, parliament] : parliaments_) parliaments.push_back(parliament.get());
  for (Parliament* parliament : parliaments) parliament->mourn(peer);
}

void Engine::mourn(Standing& standing, std::int32_t peer) {
  const std::int32_t member = standing.members().find_peer(peer);
  if (member < 0) return;
  comm::Communicator& comm = standing.comm();
  standing.add_death(member);
  interrupt_collectives(comm, p2p::process_failed(member));
  p2p_.suspend_wildcards(comm.context_id(), true);
}

void Engine::interrupt_collectives(comm::Communicator& comm, const Status& why) {
  const Ref<comm::Communicator>& local = comm.local();
  if (local) local->set_condition(comm.condition() & (comm::kRevoked | comm::kBroken));
  p2p_.interrupt(comm.collective_context_id(), why);
  if (local) p2p_.interrupt(local->collective_context_id(), why);
  world_.collectives().interrupt(comm, why);
  if (local) world_.collectives().interrupt(*local, why);
}

void Engine::hear(std::int32_t peer, const p2p::Signal& signal) {
  if (signal.kind == static_cast<std::int32_t>(SignalKind::kRevoke)) return hear_revocation(signal.context_id);
  const auto assembled = parliaments_.find(signal.context_id);
  if (assembled != parliaments_.end()) return assembled->second->receive(peer, signal);
  const auto standing = standings_->find(signal.context_id);
  if (standing != standings_->end()) return parliament_of(*standing->second).receive(peer, signal);
  early_.emplace_back(peer, signal);
  if (early_.size() > kMostEarly) early_.pop_front();
}

void Engine::hear_revocation(std::uint32_t context_id) {
  const auto found = standings_->find(context_id);
  if (found == standings_->end()) {
    if (!relay(context_id) && early_revoked_.size() < kMostEarly) early_revoked_.insert(context_id);
    return;
  }
  Standing& standing = *found->second;
  const Members& members = standing.members();
  const bool first = standing.revocation().hear(members.me, members.count(),
                                                [&](std::int32_t member) { pass_on(context_id, members, member); });
  if (!first) return;
  revoked_.push_back(context_id);
  world_.progress().announce_news();
}

void Engine::pass_on(std::uint32_t context_id, const Members& members, std::int32_t member) {
  p2p::Signal signal;
  signal.context_id = context_id;
  signal.kind = static_cast<std::int32_t>(SignalKind::kRevoke);
  signal.source = members.me;
  p2p_.send_signal(members.peers[static_cast<std::size_t>(member)], std::move(signal));
}

/// Passes on the revocation of a communicator that was freed here. False when it is none.
bool Engine::relay(std::uint32_t context_id) {
  const auto found =
      std::find_if(relays_.begin(), relays_.end(), [&](const auto& freed) { return freed.first == context_id; });
  if (found == relays_.end()) return false;
  const Members members = std::move(found->second);
  relays_.erase(found);
  Broadcast once;
  return once.hear(members.me, members.count(), [&](std::int32_t member) { pass_on(context_id, members, member); });
}

bool Engine::is_busy(const comm::Communicator& comm) {
  if ((comm.condition() & comm::kRevoked) != 0) return false;  // all has been ended
  return p2p_.busy_in(comm.context_id()) || p2p_.busy_in(comm.collective_context_id()) ||
         p2p_.busy_in(comm.partitioned_context_id());
}

void Engine::retire(const Ref<comm::Communicator>& comm) {
  std::erase_if(retired_, [&](const Ref<comm::Communicator>& freed) { return !is_busy(*freed); });
  if (is_busy(*comm)) retired_.push_back(comm);
  Standing& standing = adopt(*comm);
  const bool has_flag = flags_ && flag_of(standing) < memory::JobSegment::kRevocable;
  if (has_flag || standing.revocation().delivered() || standing.members().count() < 3) return;
  relays_.emplace_back(comm->context_id(), standing.members());
  if (relays_.size() > kMostRelays) relays_.pop_front();
}

void Engine::deliver_revocation(std::uint32_t context_id) {
  const auto found = standings_->find(context_id);
  if (found == standings_->end()) return;
  comm::Communicator& comm = found->second->comm();
  comm.set_condition(comm.condition() | comm::kRevoked);
  p2p_.interrupt(comm.context_id(), p2p::revoked());
  p2p_.interrupt(comm.partitioned_context_id(), p2p::revoked());
  interrupt_collectives(comm, p2p::revoked());
}

void Engine::take_revocation(Standing& standing) {
  if (!standing.revocation().take()) return;
  revoked_.push_back(standing.comm().context_id());
  world_.progress().announce_news();
}

void Engine::look_for_revocations() {
  for (const auto& [context_id, standing] : *standings_) {
    if (world_.job().segment->is_revoked(flag_of(*standing))) take_revocation(*standing);
  }
}

std::uint32_t Engine::flag_of(const Standing& standing) const noexcept {
  // Every rank has a communicator of its own under the context id of comm_self.
  const bool shared = !standing.comm().realm() && standing.members().count() > 1;
  return shared ? standing.comm().context_id() / 2 : kNoFlag;
}

bool Engine::flag_revocation(Standing& standing) {
  if (!flags_) return false;
  memory::JobSegment& segment = *world_.job().segment;
  if (!segment.publish_revocation(flag_of(standing))) return false;
  const Members& members = standing.members();
  for (std::int32_t i = 1; i < members.count(); ++i) {
    const std::int32_t member = (members.me + i) % members.count();
    memory::ring(segment.rank(static_cast<std::uint32_t>(members.peers[static_cast<std::size_t>(member)])).doorbell,
                 true);
  }
  return true;
}

void Engine::revoke(comm::Communicator& comm) {
  Standing& standing = adopt(comm);
  if (!standing.revocation().delivered()) {
    if (flag_revocation(standing)) {
      take_revocation(standing);
    } else {
      hear_revocation(comm.context_id());
    }
  }
  world_.progress().poll();
}

bool Engine::is_revoked(const comm::Communicator& comm) {
  world_.progress().poll();
  return (comm.condition() & comm::kRevoked) != 0;
}

const Standing& Engine::look_for_deaths(comm::Communicator& comm) {
  Standing& standing = adopt(comm);
  world_.progress().poll();
  return standing;
}

void Engine::acknowledge(comm::Communicator& comm, std::size_t count) {
  Standing& standing = adopt(comm);
  standing.acknowledge(count);
  if ((comm.condition() & comm::kUnacknowledged) == 0) p2p_.suspend_wildcards(comm.context_id(), false);
}

Parliament& Engine::parliament_of(Standing& standing) {
  std::unique_ptr<Parliament>& found = parliaments_[standing.comm().context_id()];
  if (!found) found = std::make_unique<Parliament>(p2p_, standing.comm().context_id(), standing.members());
  return *found;
}

VerdictRequest* Engine::start_agreement(comm::Communicator& comm, std::uint64_t flags, Parliament::Token token,
                                        VerdictRequest::Conclude conclude) {
  Standing& standing = adopt(comm);
  world_.progress().poll();
  Ballot mine;
  mine.flags = flags;
  mine.dead = standing.dead();
  mine.acknowledged = standing.acknowledged_dead();
  return parliament_of(standing).start(standing.next_agreement(), mine, std::move(token), std::move(conclude));
}

p2p::Request* Engine::start_agree(comm::Communicator& comm, std::uint64_t flags, OnAgreed done) {
  const std::uint64_t mine = (flags & 0xffffffff) | kAgrees;
  return start_agreement(comm, mine, {}, [done = std::move(done)](VerdictRequest& request) {
    const Ballot& verdict = request.verdict;
    if ((verdict.flags & kAgrees) == 0) return done(mixed(), request);
    done(Agreed{verdict.flags, !verdict.acknowledged.contains(verdict.dead)}, request);
  });
}

/// The communicator of those whom the verdict leaves; none where a side of an intercommunicator has nobody left.
Ref<comm::Communicator> Engine::make_survivors(const comm::Communicator& comm, const RankSet& dead, std::uint32_t id) {
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
    return world::make_inter(world_, id, std::move(ours), std::move(theirs), comm.realm());
  }
  const std::int32_t rank = ours->rank_of(world_.rank());
  return world_.introduce(new comm::Communicator(id, std::move(ours), rank, comm.realm()));
}

p2p::Request* Engine::start_shrink(comm::Communicator& comm, OnShrunk done) {
  const auto kept = Ref<comm::Communicator>::share(&comm);
  const auto token = [this, kept]() -> std::uint64_t {
    return world::ContextIds::take(world_, kept->realm(), kept->is_inter() ? world::kIdsOfInter : 1).first;
  };
  return start_agreement(comm, kShrinks, token, [this, kept, done = std::move(done)](VerdictRequest& request) {
    if ((request.verdict.flags & kShrinks) == 0) return done(mixed(), request);
    world::ContextIds ids;
    ids.first = static_cast<std::uint32_t>(request.verdict.token);
    Result<std::uint32_t> id = ids.agreed(kept->realm());
    if (!id.ok()) return done(std::move(id).status(), request);
    done(make_survivors(*kept, request.verdict.dead, id.value()), request);
  });
}

Status Engine::gather_for_the_end() {
  STARLING_TRY(p2p_.drain());
  p2p::Request* gathered =
      start_agree(*world_.comm_world(), ~std::uint64_t{0}, [](const Result<Agreed>&, p2p::Request&) {});
  p2p_.wait(*gathered);
  gathered->dispose();
  return {};
}

}  // namespace starling::resilience
