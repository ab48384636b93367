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
#include "world/connection/library_layout.hpp"

namespace starling::world {

using memory::RankState;

JobConnection::JobConnection(const Host& host, std::unique_ptr<memory::JobSegment> segment, std::uint32_t place)
    : host_(host), config_(host.config), segment_(std::move(segment)), place_(place) {}

Result<std::unique_ptr<JobConnection>> JobConnection::make(const Host& host, const memory::JobGeometry& geometry) {
  Result<std::unique_ptr<memory::JobSegment>> segment = memory::JobSegment::create(geometry);
  if (!segment.ok()) return std::move(segment).status();
  bootstrap::describe_machine(segment.value()->header());
  std::unique_ptr<JobConnection> connection(new JobConnection(host, std::move(segment).value(), 0));
  STARLING_TRY(connection->join());
  return connection;
}

Result<std::unique_ptr<JobConnection>> JobConnection::open(const Host& host, const bootstrap::SegmentAddress& address,
                                                           std::uint32_t place) {
  Result<std::unique_ptr<memory::JobSegment>> segment = address.open();
  if (!segment.ok()) return std::move(segment).status();
  std::unique_ptr<JobConnection> connection(new JobConnection(host, std::move(segment).value(), place));
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
  block.home_job = host_.job.segment->header().id;
  block.home_rank = host_.job.rank;
  Result<std::int32_t> first = host_.p2p.attach(*segment_, place_, host_.first_context);
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
  for (std::uint32_t place = 0; place < segment_->ranks(); ++place) {
    if (place != place_) memory::ring(segment_->rank(place).doorbell, sender_fences);
  }
}

Status JobConnection::failure() const {
  const std::int32_t place = segment_->header().abort_rank.load(std::memory_order_acquire);
  if (place < 0) return {};
  return Status::error(ErrorClass::kSpawn, segment_->rank(static_cast<std::uint32_t>(place)).crash.what);
}

Status JobConnection::wait_for_all(const std::function<Status()>& gives_up) {
  Status failed;
  const auto settled = [&] {
    failed = failure();
    if (!failed.ok() || all_there()) return true;
    if (gives_up) failed = gives_up();
    return !failed.ok();
  };
  host_.progress.wait(settled);
  complete_ = failed.ok();
  return failed;
}

Ref<comm::SharedDomain> JobConnection::shared_domain(const std::vector<std::int32_t>& processes,
                                                     std::shared_ptr<void> also) {
  std::vector<comm::SharedDomain::Member> members;
  for (std::size_t place = 0; place < processes.size(); ++place) {
    const auto own = static_cast<std::int32_t>(host_.job.rank);
    // To itself a process sends as it always does.
    const std::int32_t peer = place == place_ ? own : first_peer_ + static_cast<std::int32_t>(place);
    members.push_back({processes[place], peer});
  }
  std::shared_ptr<void> connection(
      this, [also = std::move(also)](void* self) { static_cast<JobConnection*>(self)->leave(); });
  return Ref<comm::SharedDomain>::adopt(
      new comm::SharedDomain(*segment_, host_.first_context, std::move(members), config_, std::move(connection)));
}

void JobConnection::leave() noexcept {
  if (left_) return;
  left_ = true;
  enter(RankState::kFinalized);
}

void JobConnection::give_up() noexcept {
  leave();
  memory::publish_death(*segment_, place_);
}

bool JobConnection::all_there() const noexcept {
  for (std::uint32_t place = 0; place < segment_->ranks(); ++place) {
    if (segment_->rank(place).state.load(std::memory_order_acquire) == RankState::kStarting) return false;
  }
  return true;
}

bool JobConnection::over() {
  if (!left_) return false;
  for (std::uint32_t place = 0; place < segment_->ranks(); ++place) {
    const memory::RankBlock& block = segment_->rank(place);
    // A process that has not opened the connection by the time that we left it will not open it any more.
    if (block.state.load(std::memory_order_acquire) != RankState::kInitialized) continue;
    if (!is_gone(place)) return false;
  }
  host_.progress.poll();
  return !host_.p2p.busy_with(first_peer_);
}

bool JobConnection::is_gone(std::uint32_t place) const noexcept {
  return kill(segment_->rank(place).pid.load(std::memory_order_relaxed), 0) != 0 && errno == ESRCH;
}

void JobConnection::publish_death_of(std::uint32_t rank_of_this_job) noexcept {
  for (std::uint32_t place = 0; place < segment_->ranks(); ++place) {
    const memory::RankBlock& block = segment_->rank(place);
    const bool here = block.state.load(std::memory_order_acquire) == RankState::kInitialized;
    if (here && block.home_job == host_.job.segment->header().id && block.home_rank == rank_of_this_job) {
      memory::publish_death(*segment_, place);
    }
  }
}

std::vector<std::int32_t> JobConnection::dead_peers() const {
  std::vector<std::int32_t> dead;
  for (std::uint32_t place = 0; place < segment_->ranks(); ++place) {
    if (place != place_ && segment_->rank(place).state.load(std::memory_order_acquire) == RankState::kDead) {
      dead.push_back(first_peer_ + static_cast<std::int32_t>(place));
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
    for (std::uint32_t place = 0; place < segment_->ranks(); ++place) {
      const bool here = segment_->rank(place).state.load(std::memory_order_acquire) == RankState::kInitialized;
      if (here && place != place_ && is_gone(place)) memory::publish_death(*segment_, place);
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
