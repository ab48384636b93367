// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/connection/job_connections.hpp"

#include <algorithm>

#include "comm/communicator.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::world {
namespace {

/// How many connections can have a range of their own at a time.
constexpr std::uint32_t kRanges =
    (comm::Communicator::kPartitioned - comm::SharedDomain::kFirstContext) / comm::SharedDomain::kContexts;

}  // namespace

Result<JobConnection::Host> JobConnections::host() {
  for (std::uint32_t tried = 0; tried < kRanges; ++tried) {
    last_range_ = (last_range_ + 1) % kRanges;
    if (std::ranges::none_of(connections_, [&](const Kept& kept) { return kept.range == last_range_; })) {
      return JobConnection::Host{progress_, p2p_, job_, config_,
                                 comm::SharedDomain::kFirstContext + last_range_ * comm::SharedDomain::kContexts};
    }
  }
  return Status::error(ErrorClass::kIntern, "this process is connected " + std::to_string(kRanges) +
                                                " times, and more is not possible; disconnect what is not needed");
}

Result<JobConnection*> JobConnections::keep(Result<std::unique_ptr<JobConnection>> connection, std::uint32_t range) {
  if (!connection.ok()) return std::move(connection).status();
  connections_.push_back({std::move(connection).value(), range});
  return connections_.back().connection.get();
}

Result<JobConnection*> JobConnections::make(std::uint32_t places) {
  close_finished();
  Result<JobConnection::Host> made = host();
  if (!made.ok()) return std::move(made).status();
  return keep(JobConnection::make(made.value(), transport::shm::geometry(places, config_)), last_range_);
}

Result<JobConnection*> JobConnections::open(const bootstrap::SegmentAddress& address, std::uint32_t place) {
  close_finished();
  Result<JobConnection::Host> made = host();
  if (!made.ok()) return std::move(made).status();
  return keep(JobConnection::open(made.value(), address, place), last_range_);
}

void JobConnections::close_finished() {
  std::erase_if(connections_, [](const Kept& kept) { return kept.connection->over(); });
}

}  // namespace starling::world
