// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/spawn.hpp"

#include "world/bridge.hpp"
#include "world/intercommunicators.hpp"

namespace starling::world {
namespace {

/// A link for two, complete, as one of them has it.
class Pair {
 public:
  Pair() = default;
  /// The other's process, as a number of ours, comes from the word that each has left for the other.
  Pair(World& world, Link& link) : link_(&link) {
    const auto own = static_cast<std::int32_t>(world.rank());
    const std::int32_t other = world.processes().number_of(ProcessId{other_job(), other_rank()});
    std::vector<std::int32_t> processes{own, other};
    if (link.place() == 1) std::swap(processes[0], processes[1]);
    Ref<comm::Realm> realm = link.realm(processes, nullptr);
    auto group = Ref<comm::Group>::adopt(new comm::Group(processes));
    // The first context of a realm, which no counter gives out.
    comm_ = world.introduce(new comm::Communicator(realm->first_context(), std::move(group),
                                                   static_cast<std::int32_t>(link.place()), realm));
  }

  /// The way for a leader that has a pair; without one, that of a process that does not lead.
  [[nodiscard]] Bridge::Way way() const {
    if (!comm_) return {};
    return {comm_.get(), 1 - comm_->rank(), 0};
  }

 private:
  [[nodiscard]] const memory::RankBlock& other() const { return link_->segment().rank(1 - link_->place()); }
  [[nodiscard]] std::uint64_t other_job() const { return other().home_job; }
  [[nodiscard]] std::uint32_t other_rank() const { return other().home_rank; }

  Link* link_ = nullptr;
  Ref<comm::Communicator> comm_;
};

/// What the root found, told to the others; then both groups meet.
class Opening {
 public:
  Opening(World& world, comm::Communicator& comm, std::int32_t root) : world_(world), comm_(comm), root_(root) {}

  [[nodiscard]] bool at_root() const noexcept { return comm_.rank() == root_; }

  MadeCommunicator finish(Result<Link*> found) {
    std::uint32_t error = found.ok() ? 0 : static_cast<std::uint32_t>(found.status().error_class());
    Status told = world_.collectives().broadcast(comm_, &error, sizeof error, root_);
    if (at_root() && !found.ok()) return std::move(found).status();
    Link* link = found.ok() ? found.value() : nullptr;
    if (!told.ok()) return given_up(link, std::move(told));
    if (error != 0) {
      return Status::error(static_cast<ErrorClass>(error),
                           "the root could not reach the other processes; its own message says why");
    }
    const Pair pair = at_root() ? Pair(world_, *link) : Pair();
    MadeCommunicator made = intercomm_create(world_, comm_, root_, pair.way());
    if (!made.ok()) return given_up(link, std::move(made).status());
    return made;
  }

 private:
  /// The process at the other end of the link knows nothing of those here, and would wait.
  static Status given_up(Link* link, Status why) {
    if (link != nullptr) link->give_up();
    return why;
  }

  World& world_;
  comm::Communicator& comm_;
  std::int32_t root_;
};

/// A link that has been made or opened, once the other process is there too.
Result<Link*> complete(Result<Link*> link, const std::function<Status()>& gives_up = {}) {
  if (!link.ok()) return link;
  Status there = link.value()->wait_for_all(gives_up);
  if (there.ok()) return link;
  link.value()->leave();
  return there;
}

Result<Link*> start_job(World& world, bootstrap::SpawnRequest& request) {
  Result<Link*> link = world.links().make(2);
  if (!link.ok()) return link;
  request.meeting = link.value()->address();
  Status started = bootstrap::start_launcher(request, world.job().segment->header().launcher_pid);
  if (!started.ok()) {
    link.value()->leave();
    return started;
  }
  return complete(std::move(link));
}

}  // namespace

MadeCommunicator spawn(World& world, comm::Communicator& comm, std::int32_t root, bootstrap::SpawnRequest request) {
  Opening opening(world, comm, root);
  return opening.finish(opening.at_root() ? start_job(world, request) : Result<Link*>(nullptr));
}

MadeCommunicator meet_parent(World& world) {
  if (!world.job().parent) return Ref<comm::Communicator>();
  Opening opening(world, *world.comm_world(), 0);
  return opening.finish(opening.at_root() ? complete(world.links().open(*world.job().parent, 1))
                                          : Result<Link*>(nullptr));
}

MadeCommunicator accept(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port) {
  Opening opening(world, comm, root);
  const auto reach = [&]() -> Result<Link*> {
    Result<bootstrap::SegmentAddress> caller = wait_at_port(world, port);
    if (!caller.ok()) return std::move(caller).status();
    return complete(world.links().open(caller.value(), 1));
  };
  return opening.finish(opening.at_root() ? reach() : Result<Link*>(nullptr));
}

MadeCommunicator connect(World& world, comm::Communicator& comm, std::int32_t root, const std::string& port) {
  Opening opening(world, comm, root);
  const auto reach = [&]() -> Result<Link*> {
    Result<Link*> link = world.links().make(2);
    if (!link.ok()) return link;
    Status called = call_port(world, port, *link.value());
    if (called.ok()) return link;
    link.value()->leave();
    return called;
  };
  return opening.finish(opening.at_root() ? reach() : Result<Link*>(nullptr));
}

Status part(World& world, comm::Communicator& comm) {
  if (comm.is_inter()) return Bridge(world, comm).swap({0}).status();
  collective::Arguments barrier;
  barrier.operation = collective::Operation::kBarrier;
  barrier.comm = &comm;
  return world.collectives().run(barrier);
}

}  // namespace starling::world
