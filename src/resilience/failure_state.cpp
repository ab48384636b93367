// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "resilience/failure_state.hpp"

#include <algorithm>

namespace starling::resilience {
namespace {

/// Its place in an order that all processes of the communicator know. Within a job groups name processes by their world
/// ranks.
std::int32_t place_of(const comm::Communicator& comm, ProcessId process) {
  return comm.connected_jobs() ? comm.connected_jobs()->place_of(process) : process.value;
}

/// -1: nowhere.
template <typename Number>
std::int32_t place_in(const std::vector<Number>& numbers, Number number) noexcept {
  const auto found = std::find(numbers.begin(), numbers.end(), number);
  return found == numbers.end() ? -1 : static_cast<std::int32_t>(found - numbers.begin());
}

}  // namespace

Members::Members(const comm::Communicator& comm) {
  const auto add = [&](const comm::Group& group, const comm::Communicator& reach) {
    for (std::int32_t rank = 0; rank < group.size(); ++rank) {
      processes.push_back(group.process(rank));
      peers.push_back(reach.peer(rank));
    }
  };
  if (!comm.is_inter()) {
    add(*comm.group(), comm);
    me = comm.rank();
    return;
  }
  const comm::Group& ours = *comm.group();
  const comm::Group& theirs = *comm.remote_group();
  const bool we_are_first = place_of(comm, ours.process(0)) < place_of(comm, theirs.process(0));
  if (we_are_first) add(ours, *comm.local());
  add(theirs, comm);
  if (!we_are_first) add(ours, *comm.local());
  me = comm.rank() + (we_are_first ? 0 : theirs.size());
}

std::int32_t Members::find_peer(PeerId peer) const noexcept { return place_in(peers, peer); }

std::int32_t Members::find_process(ProcessId process) const noexcept { return place_in(processes, process); }

FailureState::FailureState(comm::Communicator& comm, std::shared_ptr<FailureStates> all)
    : comm_(comm), all_(std::move(all)), members_(comm) {
  all_->emplace(comm.context_id(), this);
}

FailureState::~FailureState() { all_->erase(comm_.context_id()); }

void FailureState::add_death(std::int32_t member) {
  if (std::find(deaths_.begin(), deaths_.end(), member) != deaths_.end()) return;
  deaths_.push_back(member);
  settle_condition();
}

RankSet FailureState::dead() const {
  RankSet set(members_.count());
  for (const std::int32_t member : deaths_) set.insert(member);
  return set;
}

RankSet FailureState::acknowledged_dead() const {
  RankSet set(members_.count());
  for (std::size_t i = 0; i < acknowledged_; ++i) set.insert(deaths_[i]);
  return set;
}

void FailureState::acknowledge(std::size_t count) noexcept {
  acknowledged_ = std::max(acknowledged_, std::min(count, deaths_.size()));
  settle_condition();
}

void FailureState::settle_condition() noexcept {
  comm::Condition condition = comm_.condition() & comm::kRevoked;
  if (!deaths_.empty()) condition |= comm::kBroken;
  if (acknowledged_ < deaths_.size()) condition |= comm::kUnacknowledged;
  comm_.set_condition(condition);
}

}  // namespace starling::resilience
