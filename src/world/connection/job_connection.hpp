// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobConnection: what joins processes of several jobs, as one of them has it: a segment that all of them share or,
// where they are on several nodes, one for those of each node and a network of their own, as a job on several nodes has
// it. Each process has a place, which counts as a world rank, and a LocalRank in the segment of its node. The
// communicators of these processes belong to the ConnectedJobs.
//
//   made or opened -> every process is there -> ConnectedJobs made -> their last communicator is gone: left
//     -> all processes have left: closed
//
// Owned by JobConnections. A process that has left keeps the segment open and goes on polling it until all others have
// left or died, because they may wait for acknowledgements; JobConnections::close_finished() closes it then.
// Thread safety: the holder of the world's lock.
// Invariants: RankBlock::state of a place is kInitialized once its process has opened the connection, kFinalized once
// it has left. JobHeader::abort_rank is set when the connection has failed; then the CrashRecord of that place says
// why.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bootstrap/job.hpp"
#include "bootstrap/segment_address.hpp"
#include "comm/connected_jobs.hpp"
#include "config/config.hpp"
#include "memory/placement.hpp"
#include "p2p/point_to_point.hpp"
#include "progress/engine.hpp"
#include "transport/surroundings.hpp"
#include "world/network/job_network.hpp"

namespace starling::world {

class JobConnection final : private progress::Poller {
 public:
  /// What a connection needs of the world that it is in.
  struct Host {
    progress::Engine& progress;
    p2p::PointToPoint& p2p;
    bootstrap::Job& job;
    const config::Store& config;
    std::uint32_t first_context;
  };

  /// The places of processes on several nodes.
  struct Spread {
    bootstrap::JobCardView card;
    WorldRank place;             ///< of this process
    std::vector<int> listeners;  ///< descriptors, at the entrances that the card has for it
    std::string alike;           ///< the settings that hold for all
  };

  /// A new segment. Its maker has the first place.
  static Result<std::unique_ptr<JobConnection>> make(const Host& host, const memory::JobGeometry& geometry);
  static Result<std::unique_ptr<JobConnection>> open(const Host& host, const bootstrap::SegmentAddress& address,
                                                     LocalRank place);
  /// segment: of the processes on this node.
  static Result<std::unique_ptr<JobConnection>> span(const Host& host, std::unique_ptr<memory::JobSegment> segment,
                                                     Spread spread);
  ~JobConnection();
  JobConnection(const JobConnection&) = delete;
  JobConnection& operator=(const JobConnection&) = delete;

  [[nodiscard]] bootstrap::SegmentAddress address() const { return bootstrap::SegmentAddress::of(*segment_); }
  [[nodiscard]] memory::JobSegment& segment() noexcept { return *segment_; }
  /// Among all its processes.
  [[nodiscard]] WorldRank place() const noexcept { return rank_; }
  /// The same in all its processes.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  /// Null: all processes are on one node.
  [[nodiscard]] const JobNetwork* network() const noexcept { return network_.get(); }

  /// Waits until every process of this node is there, or gives_up() returns the reason to wait no longer; kSpawn, with
  /// the reason, when the connection has failed.
  Status wait_for_all(const std::function<Status()>& gives_up = {});

  /// The processes as communicators see them, given in order of their places. Once for each connection. It keeps `also`
  /// alive.
  Ref<comm::ConnectedJobs> jobs(const std::vector<ProcessId>& processes, std::shared_ptr<void> also);

  /// Tells the others that this process has no use for the connection any more.
  void leave() noexcept;
  /// As leave(), when the call that was to connect the processes has failed here. It publishes this process as dead on
  /// this connection, so that the others do not wait for it.
  void give_up() noexcept;

  // In a job that goes on after deaths:
  /// A rank of this job is dead: tells all processes that share the connection.
  void publish_death_of(WorldRank rank_of_this_job) noexcept;
  /// The peers whose death has been published.
  [[nodiscard]] std::vector<PeerId> dead_peers() const;

  /// Whether the peer is one of its processes, and this one has left.
  [[nodiscard]] bool has_let_go(PeerId peer) const noexcept;

  /// Whether no process needs the connection any more, here or elsewhere.
  [[nodiscard]] bool over();

 private:
  JobConnection(const Host& host, std::unique_ptr<memory::JobSegment> segment, memory::Placement placement,
                WorldRank place);
  static std::unique_ptr<JobConnection> on_one_node(const Host& host, std::unique_ptr<memory::JobSegment> segment,
                                                    LocalRank place);
  Status join();
  bool poll() override;
  void enter(memory::RankState state) noexcept;
  [[nodiscard]] Status failure() const;
  [[nodiscard]] bool all_there() const noexcept;
  bool look_for_deaths();
  [[nodiscard]] PeerId peer_at(WorldRank place) const noexcept { return PeerId(first_peer_.value + place.value); }
  [[nodiscard]] bool is_here(LocalRank place) const noexcept;
  [[nodiscard]] static bool is_gone(const memory::RankBlock& process) noexcept;

  Host host_;
  config::Store config_;  ///< the host's, with the settings that all in the connection share
  std::unique_ptr<memory::JobSegment> segment_;
  memory::Placement placement_;
  WorldRank rank_;   ///< the place of this process among all
  LocalRank place_;  ///< in the segment
  std::uint64_t id_;
  std::unique_ptr<JobNetwork> network_;
  transport::Surroundings surroundings_;
  PeerId first_peer_;
  bool joined_ = false;
  bool complete_ = false;  ///< every process was there
  bool left_ = false;
  std::uint32_t events_seen_ = 0;
  std::int64_t looked_at_ns_ = 0;
};

}  // namespace starling::world
