// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// World: everything of one rank between init and finalize: its configuration, its place in the job, the progress
// engine and the components above it, and the two communicators that every program starts with.
//
// Owned by mpi/, one for each rank; a test that runs ranks as threads owns several in one process.
// Thread safety: created and finalized by one thread; in between its caller holds the world's lock
// (progress::Engine::lock). Invariants: finalize() returns only when no other rank needs this one any more: its
// messages have been received and all ranks have arrived. A World that is destroyed without finalize() announces
// nothing.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/ref.hpp"
#include "base/status.hpp"
#include "bootstrap/dynamic/name_registry.hpp"
#include "bootstrap/job.hpp"
#include "collective/collectives.hpp"
#include "comm/communicator.hpp"
#include "config/config.hpp"
#include "p2p/point_to_point.hpp"
#include "progress/engine.hpp"
#include "rma/one_sided.hpp"
#include "transport/surroundings.hpp"
#include "world/connection/job_connections.hpp"
#include "world/connection/port.hpp"
#include "world/connection/processes.hpp"
#include "world/lost_peers.hpp"
#include "world/network/job_network.hpp"

namespace starling::world {

/// kCaller: the World does not free the segment. Ranks that run as threads of one process share its mapping.
enum class SegmentOwner : std::uint8_t { kWorld, kCaller };

/// Whether finalize() runs its barrier; resilience/ has synchronised the ranks already where it is skipped.
enum class FinalBarrier : std::uint8_t { kRun, kSkip };

/// Null in a good Result: this rank is not a member of the new communicator.
using MadeCommunicator = Result<Ref<comm::Communicator>>;

class World {
 public:
  /// Builds the components of the rank that `job` names. networks: join its node to the others, and outlive the world;
  /// where the job has a card, the world makes its own.
  static Result<std::unique_ptr<World>> create(bootstrap::Job job, config::Store config,
                                               SegmentOwner owner = SegmentOwner::kWorld,
                                               transport::Networks networks = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Collective over the job: returns when all ranks are here and no message is under way.
  Status finalize(FinalBarrier final_barrier = FinalBarrier::kRun);

  /// pause() completes the rank's sends and announces kFinalized without waiting for the peers; resume() announces
  /// kInitialized again. For sessions, which begin and end on some ranks only.
  Status pause();
  void resume();

  [[nodiscard]] const config::Store& config() const noexcept { return config_; }
  /// Changes a variable that may_change() from now on.
  Status change(const config::Declaration& variable, std::string_view text);
  [[nodiscard]] bootstrap::Job& job() noexcept { return job_; }
  [[nodiscard]] const memory::Placement& placement() const noexcept { return *job_.placement; }
  [[nodiscard]] WorldRank rank() const noexcept { return job_.rank; }
  /// This process, as groups name it.
  [[nodiscard]] ProcessId process() const noexcept { return process_of(job_.rank); }
  [[nodiscard]] std::int32_t size() const noexcept { return job_.size(); }
  /// MPI_APPNUM: which application of the command line a rank belongs to.
  [[nodiscard]] std::int32_t app_number(WorldRank rank) const noexcept;
  [[nodiscard]] progress::Engine& progress() noexcept { return *progress_; }
  [[nodiscard]] p2p::PointToPoint& p2p() noexcept { return *p2p_; }
  /// Null: the job is on one node, or somebody else has the network.
  [[nodiscard]] const JobNetwork* network() const noexcept { return network_.get(); }
  [[nodiscard]] LostPeers& lost_peers() noexcept { return *lost_peers_; }
  [[nodiscard]] collective::Collectives& collectives() noexcept { return *collectives_; }
  [[nodiscard]] rma::OneSided& rma() noexcept { return *rma_; }
  [[nodiscard]] const Ref<comm::Communicator>& comm_world() const noexcept { return comm_world_; }
  [[nodiscard]] const Ref<comm::Communicator>& comm_self() const noexcept { return comm_self_; }
  /// Over all ranks: for communicators that are made from a group without a parent, and for the last barrier.
  [[nodiscard]] const Ref<comm::Communicator>& comm_groups() const noexcept { return comm_groups_; }

  /// The processes that groups name, and the connections with those of other jobs.
  [[nodiscard]] Processes& processes() noexcept { return *processes_; }
  [[nodiscard]] JobConnections& connections() noexcept { return *connections_; }
  [[nodiscard]] Ports& ports() noexcept { return ports_; }
  [[nodiscard]] bootstrap::NameRegistry& names() noexcept { return names_; }

  /// Called with every communicator that is made, except those that the World begins with; null: not called.
  using OnNewCommunicator = std::function<void(comm::Communicator&)>;
  void set_on_new_communicator(OnNewCommunicator hook) { on_new_communicator_ = std::move(hook); }
  /// Every constructor of communicators ends with this.
  Ref<comm::Communicator> introduce(comm::Communicator* made) {
    auto communicator = Ref<comm::Communicator>::adopt(made);
    list(*communicator, 0);
    if (on_new_communicator_) on_new_communicator_(*communicator);
    return communicator;
  }

  /// What the processes of a new communicator have in common. jobs: those of the communicator that it is made from.
  /// groups: all of the new one, so that every member of them gets the same answer.
  [[nodiscard]] comm::Communicator::Common common_of(const Ref<comm::ConnectedJobs>& jobs,
                                                     std::initializer_list<const comm::Group*> groups) const;

  /// The first of `count` context ids that no communicator of the connected jobs, or without them of the job, has had;
  /// the next ones follow at context_id_step(). kIntern when they have run out. Those of connected jobs count from 0
  /// (comm/connected_jobs.hpp).
  Result<std::uint32_t> take_context_ids(const comm::ConnectedJobs* jobs, std::uint32_t count);
  /// From one context id to the next that the same rank takes; the nodes of a job take turns.
  [[nodiscard]] std::uint32_t context_id_step(const comm::ConnectedJobs* jobs) const noexcept {
    return 2 * static_cast<std::uint32_t>(jobs != nullptr ? jobs->nodes().count : placement().nodes());
  }

 private:
  World(bootstrap::Job job, config::Store config, SegmentOwner owner, std::unique_ptr<JobNetwork> network,
        transport::Networks networks);
  Status start();
  Status start_engines();
  [[nodiscard]] bool are_here(const comm::Group& group) const;
  Ref<comm::Communicator> make_own(std::uint64_t number, const std::vector<ProcessId>& processes);
  /// Gives a communicator its place in the directory. flags: of observe::DirectoryPlace::Flag.
  void list(comm::Communicator& communicator, std::uint32_t flags);

  config::Store config_;
  bootstrap::Job job_;
  SegmentOwner owner_;
  std::unique_ptr<JobNetwork> network_;  ///< null: there is one node, or the caller has the networks
  transport::Surroundings surroundings_;
  Ref<comm::SharedDomain> node_;  ///< the ranks of this node and their segment
  std::unique_ptr<progress::Engine> progress_;
  std::unique_ptr<p2p::PointToPoint> p2p_;
  std::unique_ptr<LostPeers> lost_peers_;
  std::unique_ptr<collective::Collectives> collectives_;
  std::unique_ptr<Processes> processes_;
  std::unique_ptr<JobConnections> connections_;
  Ports ports_;
  bootstrap::NameRegistry names_;
  std::unique_ptr<rma::WindowCollectives> window_collectives_;
  std::unique_ptr<rma::OneSided> rma_;
  OnNewCommunicator on_new_communicator_;
  Ref<comm::Communicator> comm_world_;
  Ref<comm::Communicator> comm_self_;
  Ref<comm::Communicator> comm_groups_;
};

/// Joins the launcher's job, or makes a job of one, with the environment's configuration and what the program has set
/// over it. The caller prints the warnings, each a whole sentence; rank 0 gets those that concern all ranks.
Result<std::unique_ptr<World>> join_world(const config::Overrides& overrides, std::vector<std::string>* warnings);

}  // namespace starling::world
