// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/job_connections.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "comm/communicator.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::world {
namespace {

/// How many connections can have a range of their own at a time.
constexpr std::uint32_t kRanges =
    (comm::Communicator::kPartitioned - comm::ConnectedJobs::kFirstContext) / comm::ConnectedJobs::kContexts;

}  // namespace

Result<JobConnection::Host> JobConnections::host() {
  for (std::uint32_t tried = 0; tried < kRanges; ++tried) {
    last_range_ = (last_range_ + 1) % kRanges;
    if (std::ranges::none_of(connections_, [&](const Entry& entry) { return entry.range == last_range_; })) {
      return JobConnection::Host{progress_, p2p_, job_, config_,
                                 comm::ConnectedJobs::kFirstContext + last_range_ * comm::ConnectedJobs::kContexts};
    }
  }
  return Status::error(ErrorClass::kIntern,
                       formatted("this process has {} connections with other jobs, and more are not possible; call "
                                 "MPI_Comm_disconnect on communicators that are not needed",
                                 kRanges));
}

Result<JobConnection*> JobConnections::add(Result<std::unique_ptr<JobConnection>> connection, std::uint32_t range) {
  if (!connection.ok()) return std::move(connection).status();
  connections_.push_back({std::move(connection).value(), range});
  return connections_.back().connection.get();
}

Result<JobConnection*> JobConnections::make(std::uint32_t places) {
  close_finished();
  Result<JobConnection::Host> made = host();
  if (!made.ok()) return std::move(made).status();
  return add(JobConnection::make(made.value(), transport::shm::geometry(places, config_)), last_range_);
}

Result<JobConnection*> JobConnections::open(const bootstrap::SegmentAddress& address, LocalRank place) {
  close_finished();
  Result<JobConnection::Host> made = host();
  if (!made.ok()) return std::move(made).status();
  return add(JobConnection::open(made.value(), address, place), last_range_);
}

Result<JobConnection*> JobConnections::span(std::unique_ptr<memory::JobSegment> segment, JobConnection::Spread spread) {
  close_finished();
  Result<JobConnection::Host> made = host();
  if (!made.ok()) return std::move(made).status();
  return add(JobConnection::span(made.value(), std::move(segment), std::move(spread)), last_range_);
}

bool JobConnections::has_let_go(PeerId peer) const noexcept {
  return std::ranges::any_of(connections_, [&](const Entry& entry) { return entry.connection->has_let_go(peer); });
}

void JobConnections::close_finished() {
  std::erase_if(connections_, [](const Entry& entry) { return entry.connection->over(); });
}

}  // namespace starling::world
