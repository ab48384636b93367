// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/dynamic/spawn.hpp"

#include <algorithm>
#include <optional>

#include "world/communicators/intercommunicators.hpp"
#include "world/communicators/leader_exchange.hpp"
#include "world/dynamic/port_call.hpp"

namespace starling::world {
namespace {

/// A communicator of two processes over a connection of their own, as one of them has it.
class Pair {
 public:
  Pair() = default;
  Pair(World& world, const Met& met) {
    JobConnection& connection = *met.connection;
    std::vector<ProcessId> processes{world.process(), world.processes().number_of(met.other)};
    if (connection.place() == WorldRank{1}) std::swap(processes[0], processes[1]);
    const Ref<comm::ConnectedJobs> jobs = connection.jobs(processes, met.also);
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
  Ref<comm::Communicator> comm_;
};

/// Tells the other ranks whether the root has a connection; if it has one, both groups make an intercommunicator.
class GroupConnector {
 public:
  GroupConnector(World& world, comm::Communicator& comm, std::int32_t root) : world_(world), comm_(comm), root_(root) {}

  [[nodiscard]] bool at_root() const noexcept { return comm_.rank() == root_; }

  MadeCommunicator finish(Result<Met> met) {
    std::uint32_t error = met.ok() ? 0 : static_cast<std::uint32_t>(met.status().error_class());
    Status told = world_.collectives().broadcast(comm_, &error, sizeof error, root_);
    if (at_root() && !met.ok()) return std::move(met).status();
    JobConnection* connection = met.ok() ? met.value().connection : nullptr;
    if (!told.ok()) return given_up(connection, std::move(told));
    if (error != 0) {
      return Status::error(static_cast<ErrorClass>(error),
                           "the root could not connect with the other processes; its own message says why");
    }
    const Pair pair = at_root() ? Pair(world_, met.value()) : Pair();
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

/// Of a connection on one node that both are in: each of the two has left its job and rank in the segment for the
/// other.
Met met_in(JobConnection& connection) {
  const memory::RankBlock& other = connection.segment().rank(LocalRank(1 - connection.place().value));
  return {&connection, {other.home_job, other.home_rank}, {}};
}

/// A connection that has been made or opened, once the other process is there too.
Result<Met> complete(Result<JobConnection*> connection, const std::function<Status()>& gives_up = {}) {
  if (!connection.ok()) return std::move(connection).status();
  Status there = connection.value()->wait_for_all(gives_up);
  if (there.ok()) return met_in(*connection.value());
  connection.value()->leave();
  return there;
}

/// The first process of a spawned job has called from another host. In the meeting, which is how its launcher here and
/// this job see each other, this process stands in for it as long as the two are connected.
Result<Met> met_from_afar(World& world, JobConnection& meeting, PortDoor::Caller caller) {
  Result<Met> met = answer_call(world, std::move(caller));
  if (!met.ok()) return met;
  memory::RankBlock& child = meeting.segment().rank(LocalRank(1));
  child.state.store(memory::RankState::kInitialized, std::memory_order_release);
  STARLING_TRY(meeting.wait_for_all());
  met.value().also = std::shared_ptr<void>(&meeting, [&child](void* kept) {
    child.state.store(memory::RankState::kFinalized, std::memory_order_release);
    static_cast<JobConnection*>(kept)->leave();
  });
  return met;
}

Result<Met> start_job(World& world, bootstrap::SpawnRequest& request) {
  Result<JobConnection*> made = world.connections().make(2);
  if (!made.ok()) return std::move(made).status();
  JobConnection& meeting = *made.value();
  request.meeting = meeting.address();
  std::unique_ptr<PortDoor> door;
  const bool names_hosts =
      std::ranges::any_of(request.commands, [](const auto& command) { return !command.host.empty(); });
  if (names_hosts) {
    // Where there is no network the launcher refuses other hosts.
    Result<std::unique_ptr<PortDoor>> opened = PortDoor::open(world.config());
    if (opened.ok() && !opened.value()->name().addresses.empty()) door = std::move(opened).value();
  }
  if (door) request.door = door->name().text();
  Status started = bootstrap::start_launcher(request, world.job().segment->header().launcher_pid);
  std::optional<PortDoor::Caller> caller;
  if (started.ok()) {
    const AtDoor at_door(world.progress(), door.get());
    started = meeting.wait_for_all([&]() -> Status {
      if (door && !caller) caller = door->take();  // the wait may ask again after a yes
      return caller ? Status::error(ErrorClass::kOther, "called from another host") : Status();
    });
  }
  if (started.ok()) return met_in(meeting);
  Result<Met> met = caller ? met_from_afar(world, meeting, *std::move(caller)) : Result<Met>(std::move(started));
  if (!met.ok()) meeting.leave();
  return met;
}

}  // namespace

MadeCommunicator spawn(World& world, comm::Communicator& comm, std::int32_t root, bootstrap::SpawnRequest request) {
  GroupConnector connector(world, comm, root);
  return connector.finish(connector.at_root() ? start_job(world, request) : Result<Met>(Met()));
}

MadeCommunicator connect_to_parent(World& world) {
  const bootstrap::Job& job = world.job();
  if (!job.parent && job.parent_door.empty()) return Ref<comm::Communicator>();
  GroupConnector connector(world, *world.comm_world(), 0);
  const auto reach = [&]() -> Result<Met> {
    if (job.parent) return complete(world.connections().open(*job.parent, LocalRank{1}));
    const std::optional<DoorName> door = DoorName::parse(job.parent_door);
    if (!door)
      return Status::error(ErrorClass::kSpawn, "the launcher says wrongly where those are that spawned this job");
    return call_door(world, "of those who spawned this job", *door);
  };
  return connector.finish(connector.at_root() ? reach() : Result<Met>(Met()));
}

MadeCommunicator accept(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port) {
  GroupConnector connector(world, comm, root);
  const auto reach = [&]() -> Result<Met> {
    Result<PortCall> call = wait_at_port(world.progress(), port, world.ports().door_of(port));
    if (!call.ok()) return std::move(call).status();
    if (call.value().far) return answer_call(world, *std::move(call.value().far));
    return complete(world.connections().open(*call.value().near, LocalRank{1}));
  };
  return connector.finish(connector.at_root() ? reach() : Result<Met>(Met()));
}

MadeCommunicator connect(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port) {
  GroupConnector connector(world, comm, root);
  const auto reach = [&]() -> Result<Met> {
    Result<std::optional<DoorName>> far = far_door_of(port);
    if (!far.ok()) return std::move(far).status();
    if (far.value()) return call_door(world, port, *far.value());
    Result<JobConnection*> connection = world.connections().make(2);
    if (!connection.ok()) return std::move(connection).status();
    Status called = call_port(world.progress(), port, *connection.value());
    if (called.ok()) return met_in(*connection.value());
    connection.value()->leave();
    return called;
  };
  return connector.finish(connector.at_root() ? reach() : Result<Met>(Met()));
}

Status wait_for_both_groups(World& world, comm::Communicator& comm) {
  if (comm.is_inter()) return LeaderExchange(world, comm).exchange({0}).status();
  collective::Arguments barrier;
  barrier.operation = collective::Operation::kBarrier;
  barrier.comm = &comm;
  return world.collectives().run(barrier);
}

}  // namespace starling::world
