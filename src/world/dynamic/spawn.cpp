// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/spawn.hpp"

#include "comm/one_node.hpp"
#include "world/communicators/intercommunicators.hpp"
#include "world/communicators/leader_exchange.hpp"

namespace starling::world {
namespace {

/// A communicator of two processes over a connection of their own, as one of them has it.
class Pair {
 public:
  Pair() = default;
  /// Each of the two has left its job and rank in the connection's segment for the other.
  Pair(World& world, JobConnection& connection) : connection_(&connection) {
    const memory::RankBlock& other = connection.segment().rank(other_place());
    std::vector<ProcessId> processes{world.process(), world.processes().number_of({other.home_job, other.home_rank})};
    if (connection.place() == LocalRank{1}) std::swap(processes[0], processes[1]);
    const Ref<comm::ConnectedJobs> jobs = connection.jobs(processes, nullptr);
    // The first context of a connection, which no counter gives out.
    auto group = Ref<comm::Group>::adopt(new comm::Group(processes));
    comm::Communicator::Common common = world.common_of(jobs, {group.get()});
    comm_ = world.introduce(
        new comm::Communicator(jobs->first_context(), std::move(group), connection.place().value, std::move(common)));
  }

  /// For a leader, which has a pair; a process that does not lead has none and needs no peer.
  [[nodiscard]] PeerLeader peer_leader() const {
    if (!comm_) return {};
    return {comm_.get(), 1 - comm_->rank(), 0};
  }

 private:
  [[nodiscard]] LocalRank other_place() const noexcept { return LocalRank(1 - connection_->place().value); }

  JobConnection* connection_ = nullptr;
  Ref<comm::Communicator> comm_;
};

/// Tells the other ranks whether the root has a connection; if it has one, both groups make an intercommunicator.
class GroupConnector {
 public:
  GroupConnector(World& world, comm::Communicator& comm, std::int32_t root) : world_(world), comm_(comm), root_(root) {}

  [[nodiscard]] bool at_root() const noexcept { return comm_.rank() == root_; }

  MadeCommunicator finish(Result<JobConnection*> found) {
    std::uint32_t error = found.ok() ? 0 : static_cast<std::uint32_t>(found.status().error_class());
    Status told = world_.collectives().broadcast(comm_, &error, sizeof error, root_);
    if (at_root() && !found.ok()) return std::move(found).status();
    JobConnection* connection = found.ok() ? found.value() : nullptr;
    if (!told.ok()) return given_up(connection, std::move(told));
    if (error != 0) {
      return Status::error(static_cast<ErrorClass>(error),
                           "the root could not connect with the other processes; its own message says why");
    }
    const Pair pair = at_root() ? Pair(world_, *connection) : Pair();
    MadeCommunicator made = intercomm_create(world_, comm_, root_, pair.peer_leader());
    if (!made.ok()) return given_up(connection, std::move(made).status());
    return made;
  }

 private:
  /// The process at the other end of the connection cannot know that this call failed, and would wait.
  static Status given_up(JobConnection* connection, Status why) {
    if (connection != nullptr) connection->give_up();
    return why;
  }

  World& world_;
  comm::Communicator& comm_;
  std::int32_t root_;
};

/// A connection that has been made or opened, once the other process is there too.
Result<JobConnection*> complete(Result<JobConnection*> connection, const std::function<Status()>& gives_up = {}) {
  if (!connection.ok()) return connection;
  Status there = connection.value()->wait_for_all(gives_up);
  if (there.ok()) return connection;
  connection.value()->leave();
  return there;
}

Result<JobConnection*> start_job(World& world, bootstrap::SpawnRequest& request) {
  Result<JobConnection*> connection = world.connections().make(2);
  if (!connection.ok()) return connection;
  request.meeting = connection.value()->address();
  Status started = bootstrap::start_launcher(request, world.job().segment->header().launcher_pid);
  if (!started.ok()) {
    connection.value()->leave();
    return started;
  }
  return complete(std::move(connection));
}

/// A connection is a segment, which all members open.
Status check_one_node(const comm::Communicator& comm) {
  return comm::check_shared_domain(comm, "they cannot start or connect with other processes across nodes");
}

}  // namespace

MadeCommunicator spawn(World& world, comm::Communicator& comm, std::int32_t root, bootstrap::SpawnRequest request) {
  STARLING_TRY(check_one_node(comm));
  GroupConnector connector(world, comm, root);
  return connector.finish(connector.at_root() ? start_job(world, request) : Result<JobConnection*>(nullptr));
}

MadeCommunicator connect_to_parent(World& world) {
  if (!world.job().parent) return Ref<comm::Communicator>();
  GroupConnector connector(world, *world.comm_world(), 0);
  return connector.finish(connector.at_root() ? complete(world.connections().open(*world.job().parent, LocalRank{1}))
                                              : Result<JobConnection*>(nullptr));
}

MadeCommunicator accept(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port) {
  STARLING_TRY(check_one_node(comm));
  GroupConnector connector(world, comm, root);
  const auto reach = [&]() -> Result<JobConnection*> {
    Result<bootstrap::SegmentAddress> caller = wait_at_port(world.progress(), port);
    if (!caller.ok()) return std::move(caller).status();
    return complete(world.connections().open(caller.value(), LocalRank{1}));
  };
  return connector.finish(connector.at_root() ? reach() : Result<JobConnection*>(nullptr));
}

MadeCommunicator connect(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port) {
  STARLING_TRY(check_one_node(comm));
  GroupConnector connector(world, comm, root);
  const auto reach = [&]() -> Result<JobConnection*> {
    Result<JobConnection*> connection = world.connections().make(2);
    if (!connection.ok()) return connection;
    Status called = call_port(world.progress(), port, *connection.value());
    if (called.ok()) return connection;
    connection.value()->leave();
    return called;
  };
  return connector.finish(connector.at_root() ? reach() : Result<JobConnection*>(nullptr));
}

Status wait_for_both_groups(World& world, comm::Communicator& comm) {
  if (comm.is_inter()) return LeaderExchange(world, comm).exchange({0}).status();
  collective::Arguments barrier;
  barrier.operation = collective::Operation::kBarrier;
  barrier.comm = &comm;
  return world.collectives().run(barrier);
}

}  // namespace starling::world
