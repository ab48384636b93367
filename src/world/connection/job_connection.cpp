// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/job_connection.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.hpp"
#include "bootstrap/machine.hpp"
#include "memory/doorbell.hpp"
#include "memory/shared_settings.hpp"
#include "memory/usable_cores.hpp"
#include "world/network/library_layout.hpp"

namespace starling::world {

using memory::RankState;

JobConnection::JobConnection(const Host& host, std::unique_ptr<memory::JobSegment> segment, memory::Placement placement,
                             WorldRank place)
    : host_(host),
      config_(host.config),
      segment_(std::move(segment)),
      placement_(std::move(placement)),
      rank_(place),
      place_(placement_.local_of(place)),
      id_(segment_->header().id),
      surroundings_{*segment_, placement_, rank_, config_} {}

std::unique_ptr<JobConnection> JobConnection::on_one_node(const Host& host, std::unique_ptr<memory::JobSegment> segment,
                                                          LocalRank place) {
  auto placement =
      memory::Placement::one_node(static_cast<std::int32_t>(segment->ranks()), memory::usable_cores_of(*segment));
  return std::unique_ptr<JobConnection>(
      new JobConnection(host, std::move(segment), std::move(placement), WorldRank(place.value)));
}

Result<std::unique_ptr<JobConnection>> JobConnection::make(const Host& host, const memory::JobGeometry& geometry) {
  Result<std::unique_ptr<memory::JobSegment>> segment = memory::JobSegment::create(geometry);
  if (!segment.ok()) return std::move(segment).status();
  bootstrap::describe_machine(segment.value()->header());
  std::unique_ptr<JobConnection> connection = on_one_node(host, std::move(segment).value(), LocalRank{0});
  STARLING_TRY(connection->join());
  return connection;
}

Result<std::unique_ptr<JobConnection>> JobConnection::open(const Host& host, const bootstrap::SegmentAddress& address,
                                                           LocalRank place) {
  Result<std::unique_ptr<memory::JobSegment>> segment = address.open();
  if (!segment.ok()) return std::move(segment).status();
  std::unique_ptr<JobConnection> connection = on_one_node(host, std::move(segment).value(), place);
  STARLING_TRY(connection->join());
  return connection;
}

Result<std::unique_ptr<JobConnection>> JobConnection::span(const Host& host,
                                                           std::unique_ptr<memory::JobSegment> segment, Spread spread) {
  std::unique_ptr<JobConnection> connection(
      new JobConnection(host, std::move(segment), spread.card.placement(), spread.place));
  connection->id_ = spread.card.job();
  STARLING_TRY(connection->config_.take_alike(spread.alike));
  auto network = JobNetwork::create(std::move(spread.card), spread.place, spread.listeners, spread.alike);
  if (!network.ok()) return std::move(network).status();
  connection->network_ = std::move(network).value();
  connection->surroundings_.networks = connection->network_->networks();
  STARLING_TRY(connection->join());
  return connection;
}

Status JobConnection::join() {
  STARLING_TRY(agree_on_library(*segment_));
  // The maker is here first, so its settings hold for all.
  Result<std::string> alike = memory::share_settings(*segment_, config_.alike());
  if (!alike.ok()) return std::move(alike).status();
  STARLING_TRY(config_.take_alike(alike.value()));
  // Others read our memory by this number once they see us here.
  memory::RankBlock& block = segment_->rank(place_);
  block.pid.store(static_cast<std::int32_t>(getpid()), std::memory_order_relaxed);
  block.home_job = host_.job.id;
  block.home_rank = host_.job.rank;
  Result<PeerId> first = host_.p2p.attach(surroundings_, host_.first_context);
  if (!first.ok()) return std::move(first).status();
  first_peer_ = first.value();
  host_.progress.add_bell(segment_->rank(place_).doorbell);
  host_.progress.add(*this);
  joined_ = true;
  enter(RankState::kInitialized);
  return {};
}

JobConnection::~JobConnection() {
  if (!joined_) return;
  leave();
  host_.progress.remove(*this);
  host_.progress.remove_bell(segment_->rank(place_).doorbell);
  host_.p2p.detach(first_peer_);
}

void JobConnection::enter(RankState state) noexcept {
  // release: a process that sees this state also sees what we wrote before.
  segment_->rank(place_).state.store(state, std::memory_order_release);
  const bool sender_fences = segment_->header().sender_fences != 0;
  for (LocalRank place{0}; place.index() < segment_->ranks(); ++place.value) {
    if (place != place_) memory::ring(segment_->rank(place).doorbell, sender_fences);
  }
}

Status JobConnection::failure() const {
  const LocalRank place(segment_->header().abort_rank.load(std::memory_order_acquire));
  if (place.is_none()) return {};
  return Status::error(ErrorClass::kSpawn, segment_->rank(place).crash.what);
}

Status JobConnection::wait_for_all(const std::function<Status()>& gives_up) {
  Status failed;
  const auto settled = [&] {
    failed = failure();
    if (!failed.ok() || all_there()) return true;
    if (gives_up) failed = gives_up();
    return !failed.ok();
  };
  host_.progress.wait(settled, [] { return observe::Wait(observe::WaitKind::kConnection); });
  complete_ = failed.ok();
  return failed;
}

Ref<comm::ConnectedJobs> JobConnection::jobs(const std::vector<ProcessId>& processes, std::shared_ptr<void> also) {
  std::vector<comm::ConnectedJobs::Member> members;
  comm::SharedDomain::Members places;
  for (WorldRank place{0}; place.index() < processes.size(); ++place.value) {
    // To itself a process sends as it always does.
    const PeerId peer = place == rank_ ? peer_of(host_.job.rank) : peer_at(place);
    members.push_back({processes[place.index()], peer, placement_.node_of(place)});
    if (placement_.is_here(place)) places.emplace(processes[place.index()], placement_.local_of(place));
  }
  std::shared_ptr<void> connection(
      this, [also = std::move(also)](void* self) { static_cast<JobConnection*>(self)->leave(); });
  auto domain = Ref<comm::SharedDomain>::adopt(new comm::SharedDomain(*segment_, std::move(places)));
  const comm::ConnectedJobs::Nodes nodes{placement_.nodes(), placement_.own_node(), placement_.fewest_usable_cores()};
  return Ref<comm::ConnectedJobs>::adopt(new comm::ConnectedJobs({id_, host_.first_context, nodes}, std::move(members),
                                                                 std::move(domain), config_, std::move(connection)));
}

void JobConnection::leave() noexcept {
  if (left_) return;
  left_ = true;
  enter(RankState::kFinalized);
  // Something, such as an acknowledgement, may go after it: over() says it again.
  static_cast<void>(host_.p2p.part_with(first_peer_));
}

void JobConnection::give_up() noexcept {
  leave();
  memory::publish_death(*segment_, place_);
}

bool JobConnection::all_there() const noexcept {
  for (LocalRank place{0}; place.index() < segment_->ranks(); ++place.value) {
    if (segment_->rank(place).state.load(std::memory_order_acquire) == RankState::kStarting) return false;
  }
  return true;
}

bool JobConnection::is_here(LocalRank place) const noexcept {
  return segment_->rank(place).state.load(std::memory_order_acquire) == RankState::kInitialized;
}

bool JobConnection::has_let_go(PeerId peer) const noexcept {
  return left_ && peer >= first_peer_ && peer.value < first_peer_.value + placement_.size();
}

bool JobConnection::over() {
  if (!left_) return false;
  for (LocalRank place{0}; place.index() < segment_->ranks(); ++place.value) {
    // A process that has not opened the connection by the time that we left it will not open it any more.
    if (is_here(place) && !is_gone(segment_->rank(place))) return false;
  }
  host_.progress.poll();
  return host_.p2p.part_with(first_peer_);
}

bool JobConnection::is_gone(const memory::RankBlock& process) noexcept {
  return kill(process.pid.load(std::memory_order_relaxed), 0) != 0 && errno == ESRCH;
}

void JobConnection::publish_death_of(WorldRank rank_of_this_job) noexcept {
  for (LocalRank place{0}; place.index() < segment_->ranks(); ++place.value) {
    if (!is_here(place)) continue;
    const memory::RankBlock& block = segment_->rank(place);
    if (block.home_job == host_.job.id && block.home_rank == rank_of_this_job) memory::publish_death(*segment_, place);
  }
}

std::vector<PeerId> JobConnection::dead_peers() const {
  std::vector<PeerId> dead;
  for (LocalRank place{0}; place.index() < segment_->ranks(); ++place.value) {
    if (place != place_ && segment_->rank(place).state.load(std::memory_order_acquire) == RankState::kDead) {
      dead.push_back(peer_at(placement_.world_of(place)));
    }
  }
  return dead;
}

/// No launcher tells this job of the deaths of other jobs' processes.
bool JobConnection::look_for_deaths() {
  constexpr std::int64_t kPauseNs = 5'000'000;
  const std::int64_t now = now_ns();
  if (complete_ && !left_ && now - looked_at_ns_ >= kPauseNs) {
    looked_at_ns_ = now;
    for (LocalRank place{0}; place.index() < segment_->ranks(); ++place.value) {
      if (place != place_ && is_here(place) && is_gone(segment_->rank(place))) memory::publish_death(*segment_, place);
    }
  }
  const std::uint32_t events = segment_->header().events.load(std::memory_order_acquire);
  if (events == events_seen_) return false;
  events_seen_ = events;
  host_.progress.announce_event();
  return true;
}

/// A connection that has failed ends this job, as a failed rank does, as long as the two are connected; but not a job
/// that goes on after deaths.
bool JobConnection::poll() {
  if (host_.job.segment->header().survives != 0) return look_for_deaths();
  if (!complete_ || left_ || segment_->header().abort_rank.load(std::memory_order_relaxed) < 0) return false;
  const std::string text = "a job that is connected with this one has failed: " + failure().message();
  bootstrap::abort(host_.job, 1, text);
}

}  // namespace starling::world
