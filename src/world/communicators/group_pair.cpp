// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/communicators/group_pair.hpp"

#include <algorithm>
#include <cstdio>

#include "world/communicators/spanning_connection.hpp"

namespace starling::world {
namespace {

using Words = LeaderExchange::Words;

bool of_one_job(const GroupPair& groups) {
  const auto same = [&](const GlobalProcess& process) { return process.job == groups.ours.members[0].job; };
  return std::ranges::all_of(groups.ours.members, same) && std::ranges::all_of(groups.theirs.members, same);
}

bool overlap(const GroupPair& groups) {
  return std::ranges::any_of(groups.ours.members, [&](const GlobalProcess& process) {
    return std::ranges::find(groups.theirs.members, process) != groups.theirs.members.end();
  });
}

/// A connection for both groups. The leader of the group that takes makes it, all other processes open it.
class NewConnection {
 public:
  NewConnection(World& world, LeaderExchange& exchange, const GroupPair& groups, std::int32_t rank)
      : world_(world), exchange_(exchange), groups_(groups), rank_(rank) {}

  Result<JobConnection*> open() {
    Words address{0, 0, 0};
    Status made = makes() ? make(&address) : Status();
    Result<LeaderExchange::Exchanged> exchanged = exchange_.exchange(address);
    STARLING_TRY(std::move(made));
    if (!exchanged.ok()) return std::move(exchanged).status();
    Status there;
    if (!makes()) there = join(groups_.takes ? exchanged.value().ours : exchanged.value().theirs);
    // No process waits for one that could not open the segment.
    Result<bool> all = exchange_.all_agree(there.ok());
    STARLING_TRY(std::move(there));
    if (!all.ok()) return std::move(all).status();
    there = all.value()
                ? connection_->wait_for_all()
                : Status::error(ErrorClass::kOther,
                                "another process of the two groups could not open the shared memory; its own message "
                                "says why");
    if (there.ok()) return connection_;
    connection_->leave();
    return there;
  }

  /// All processes in order of their places: the maker has the first.
  [[nodiscard]] std::vector<GlobalProcess> by_place() const {
    std::vector<GlobalProcess> all = groups_.takes ? groups_.ours.members : groups_.theirs.members;
    const auto leader = static_cast<std::ptrdiff_t>(taking_leader());
    std::rotate(all.begin(), all.begin() + leader, all.end());
    const std::vector<GlobalProcess>& others = groups_.takes ? groups_.theirs.members : groups_.ours.members;
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

 private:
  [[nodiscard]] bool makes() const noexcept { return groups_.takes && exchange_.leads(); }
  [[nodiscard]] std::int32_t taking_leader() const noexcept {
    return groups_.takes ? exchange_.leader() : groups_.their_leader;
  }

  Status make(Words* address) {
    Result<JobConnection*> connection = world_.connections().make(static_cast<std::uint32_t>(by_place().size()));
    if (!connection.ok()) return std::move(connection).status();
    connection_ = connection.value();
    const bootstrap::SegmentAddress at = connection_->address();
    *address = {static_cast<std::uint64_t>(at.pid), static_cast<std::uint64_t>(at.descriptor), at.id};
    return {};
  }

  Status join(const Words& address) {
    if (address[0] == 0) {
      return Status::error(ErrorClass::kIntern,
                           "the process that had to make shared memory for the two groups got none; its own message "
                           "says why");
    }
    const std::vector<GlobalProcess> all = by_place();
    const GlobalProcess me = groups_.ours.members[static_cast<std::size_t>(rank_)];
    const LocalRank place(static_cast<std::size_t>(std::ranges::find(all, me) - all.begin()));
    Result<JobConnection*> connection = world_.connections().open(
        {static_cast<std::int32_t>(address[0]), static_cast<std::int32_t>(address[1]), address[2]}, place);
    if (!connection.ok()) return std::move(connection).status();
    connection_ = connection.value();
    return {};
  }

  World& world_;
  LeaderExchange& exchange_;
  const GroupPair& groups_;
  std::int32_t rank_;
  JobConnection* connection_ = nullptr;
};

/// The connection of the leaders stays open as long: the launcher of a spawned job sees there whether the parent lives.
std::shared_ptr<void> kept_by(const comm::Communicator* between) {
  if (between == nullptr || !between->connected_jobs()) return {};
  return std::make_shared<Ref<comm::ConnectedJobs>>(between->connected_jobs());
}

Result<Ref<comm::ConnectedJobs>> find_jobs(World& world, LeaderExchange& exchange, const GroupPair& groups,
                                           comm::Communicator& local, const comm::Communicator* between) {
  if (of_one_job(groups)) return Ref<comm::ConnectedJobs>();
  if (groups.ours.connection != 0 && groups.ours.connection == groups.theirs.connection) return local.connected_jobs();
  // Groups of one process each use the connection in which their leaders talk.
  if (groups.ours.members.size() == 1 && groups.theirs.members.size() == 1) return between->connected_jobs();
  if (!groups.ours.is_on_one_node || !groups.theirs.is_on_one_node || !groups.leaders_share_memory) {
    SpanningConnection opening(world, exchange, groups, local, between);
    Result<JobConnection*> connection = opening.open();
    if (!connection.ok()) return std::move(connection).status();
    return connection.value()->jobs(world.processes().numbers_of(SpanningConnection::by_place(groups)),
                                    kept_by(between));
  }
  NewConnection opening(world, exchange, groups, local.rank());
  Result<JobConnection*> connection = opening.open();
  if (!connection.ok()) return std::move(connection).status();
  return connection.value()->jobs(world.processes().numbers_of(opening.by_place()), kept_by(between));
}

}  // namespace

Result<GroupPair> pair_groups(World& world, LeaderExchange& exchange, comm::Communicator& local,
                              const comm::Communicator* between) {
  GroupPair groups;
  Words mine = GroupMembers::of(world, local).words();
  // What only the leader knows comes last.
  mine.push_back(between != nullptr && between->shared_domain() != nullptr ? 1 : 0);
  mine.push_back(static_cast<std::uint64_t>(exchange.leader()));
  Result<LeaderExchange::Exchanged> exchanged = exchange.exchange(mine);
  if (!exchanged.ok()) return std::move(exchanged).status();
  Words& ours = exchanged.value().ours;
  Words& theirs = exchanged.value().theirs;
  groups.their_leader = static_cast<std::int32_t>(theirs.back());
  groups.leaders_share_memory = ours.end()[-2] != 0 && theirs.end()[-2] != 0;
  ours.resize(ours.size() - 2);
  theirs.resize(theirs.size() - 2);
  groups.ours = GroupMembers::from(ours);
  groups.theirs = GroupMembers::from(theirs);
  if (overlap(groups)) {
    return Status::error(ErrorClass::kComm,
                         "the two groups overlap: the groups of an intercommunicator have no process in common");
  }
  groups.takes = groups.ours.members[0] < groups.theirs.members[0];
  Result<Ref<comm::ConnectedJobs>> jobs = find_jobs(world, exchange, groups, local, between);
  if (!jobs.ok()) return std::move(jobs).status();
  groups.jobs = std::move(jobs).value();
  return groups;
}

}  // namespace starling::world
