// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/env/thread_ranks.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/random_bytes.hpp"
#include "base/usable_cores.hpp"
#include "transport/given_network.hpp"
#include "transport/loop/network.hpp"
#include "transport/shm/geometry.hpp"
#include "transport/tcp/listed_roster.hpp"

namespace starling::mpi {
namespace {

/// A node of a job whose ranks are threads.
struct ThreadNode {
  std::unique_ptr<memory::JobSegment> segment;
  std::shared_ptr<const memory::Placement> placement;
};

/// Listeners of all ranks, and where they are.
struct TcpEntrances {
  transport::tcp::ListedRoster roster;
  std::vector<transport::tcp::Listener> listeners;  ///< by world rank
  std::vector<transport::tcp::Endpoint> endpoints;  ///< the same
};

struct Parts {
  config::Store config;
  std::vector<ThreadNode> nodes;
  std::unique_ptr<transport::loop::Network> network;  ///< null with one node, or where TCP joins several
  std::unique_ptr<TcpEntrances> tcp;                  ///< null where it does not
  transport::GivenNetwork* given = nullptr;

  [[nodiscard]] transport::Networks networks_of(WorldRank rank) const {
    return {network.get(), tcp ? &tcp->endpoints[rank.index()] : nullptr, given};
  }
};

int node_of(int rank, const ThreadRanks& job) {
  return job.dealing == Dealing::kRoundRobin ? rank % job.nodes
                                             : static_cast<int>(std::int64_t{rank} * job.nodes / job.ranks);
}

std::vector<std::vector<WorldRank>> deal(const ThreadRanks& job) {
  std::vector<std::vector<WorldRank>> dealt(static_cast<std::size_t>(job.nodes));
  for (int rank = 0; rank < job.ranks; ++rank) dealt[static_cast<std::size_t>(node_of(rank, job))].emplace_back(rank);
  return dealt;
}

Status add_node(const std::vector<memory::Placement::Node>& nodes, int number, const ThreadRanks& job, Parts& made) {
  const memory::Placement::Node& node = nodes[static_cast<std::size_t>(number)];
  memory::JobGeometry geometry = transport::shm::geometry(static_cast<std::uint32_t>(node.ranks.size()), made.config);
  geometry.world_ranks = static_cast<std::uint32_t>(job.ranks);
  geometry.trace_events = job.trace_events;
  auto segment = memory::JobSegment::create(geometry);
  if (!segment.ok()) return std::move(segment).status();
  segment.value()->header().usable_cores = static_cast<std::uint32_t>(node.usable_cores);
  segment.value()->header().trace_mode = job.trace;
  for (std::size_t local = 0; local < node.ranks.size(); ++local)
    segment.value()->rank(LocalRank(local)).home_rank = node.ranks[local];
  made.nodes.push_back({std::move(segment).value(), std::make_shared<const memory::Placement>(nodes, number)});
  return {};
}

Result<std::unique_ptr<TcpEntrances>> open_entrances(const ThreadRanks& job, const config::Store& config,
                                                     std::uint64_t id) {
  auto made = std::make_unique<TcpEntrances>();
  made->roster.job = id;
  STARLING_TRY(fill_randomly(made->roster.secret));
  const Result<transport::tcp::PortRange> ports = transport::tcp::ports_of(config);
  if (!ports.ok()) return ports.status().copy();
  for (int rank = 0; rank < job.ranks; ++rank) {
    auto listener = transport::tcp::Listener::open(transport::tcp::SocketAddress::loopback(), ports.value());
    if (!listener.ok()) return std::move(listener).status();
    made->roster.ranks.push_back({listener.value().address()});
    made->listeners.push_back(std::move(listener).value());
  }
  for (transport::tcp::Listener& listener : made->listeners)
    made->endpoints.push_back({made->roster, std::span(&listener, 1)});
  return made;
}

Status join_nodes(const ThreadRanks& job, const std::vector<std::vector<WorldRank>>& dealt, Parts& made) {
  if (job.nodes == 1) return {};
  if (job.joining == Joining::kGiven) {
    made.given = job.given;
    return {};
  }
  if (job.joining == Joining::kTcp) {
    auto tcp = open_entrances(job, made.config, made.nodes.front().segment->header().id);
    if (!tcp.ok()) return std::move(tcp).status();
    made.tcp = std::move(tcp).value();
    return {};
  }
  auto network = transport::loop::Network::create(dealt, job.network);
  if (!network.ok()) return std::move(network).status();
  made.network = std::move(network).value();
  return {};
}

Result<Parts> make_parts(const ThreadRanks& job) {
  if (job.nodes < 1 || job.nodes > job.ranks) {
    return Status::error(ErrorClass::kArg, formatted("{} ranks cannot stand on {} nodes: each node needs a rank, and "
                                                     "there is at least one node",
                                                     job.ranks, job.nodes));
  }
  Parts made;
  STARLING_TRY(made.config.set_all(job.settings));
  const std::vector<std::vector<WorldRank>> dealt = deal(job);
  const std::int32_t shared_cores = std::max(static_cast<std::int32_t>(usable_cores()) / job.nodes, 1);
  const std::int32_t cores = job.cores_of_node > 0 ? job.cores_of_node : shared_cores;
  std::vector<memory::Placement::Node> nodes;
  for (const std::vector<WorldRank>& ranks : dealt) {
    memory::Placement::Node& node = nodes.emplace_back();
    node.ranks = ranks;
    node.usable_cores = cores;
  }
  for (int number = 0; number < job.nodes; ++number) STARLING_TRY(add_node(nodes, number, job, made));
  STARLING_TRY(join_nodes(job, dealt, made));
  return made;
}

/// What MPI_Init of one of the threads calls.
Context::JoinWorld joiner(const Parts& job, const ThreadNode& node, WorldRank rank) {
  return [&job, &node, rank](const config::Overrides& overrides,
                             std::vector<std::string>* /*warnings*/) -> Result<std::unique_ptr<world::World>> {
    config::Store own = job.config;
    STARLING_TRY(own.set_all(overrides));
    bootstrap::Job joined;
    joined.id = job.nodes.front().segment->header().id;
    joined.segment.reset(node.segment.get());
    joined.rank = rank;
    joined.local_rank = node.placement->local_of(rank);
    joined.placement = node.placement;
    return world::World::create(std::move(joined), std::move(own), world::SegmentOwner::kCaller, job.networks_of(rank));
  };
}

class MadeThreadJob final : public ThreadJob {
 public:
  MadeThreadJob(const ThreadRanks& job, Parts parts) : parts_(std::move(parts)) {
    for (int rank = 0; rank < job.ranks; ++rank) {
      const ThreadNode& node = parts_.nodes[static_cast<std::size_t>(node_of(rank, job))];
      contexts_.push_back(std::make_unique<Context>(joiner(parts_, node, WorldRank(rank)), Context::Owner::kThread));
    }
  }
  [[nodiscard]] Context& context(int rank) override { return *contexts_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int unfinished() const override {
    return static_cast<int>(
        std::ranges::count_if(contexts_, [](const auto& context) { return context->life == Life::kInside; }));
  }

 private:
  const Parts parts_;
  std::vector<std::unique_ptr<Context>> contexts_;
};

}  // namespace

Result<std::unique_ptr<ThreadJob>> ThreadJob::create(const ThreadRanks& job) {
  Result<Parts> parts = make_parts(job);
  if (!parts.ok()) return std::move(parts).status();
  return std::unique_ptr<ThreadJob>(std::make_unique<MadeThreadJob>(job, std::move(parts).value()));
}

int run_ranks_as_threads(const ThreadRanks& job, const std::function<void(int rank)>& body) {
  const Result<std::unique_ptr<ThreadJob>> made = ThreadJob::create(job);
  if (!made.ok()) {
    std::fprintf(stderr, "starling: the ranks cannot run as threads: %s\n", made.status().message().c_str());
    return -1;
  }
  std::vector<std::thread> threads;
  for (int rank = 0; rank < job.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const ContextScope scope(made.value()->context(rank));
      body(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return made.value()->unfinished();
}

}  // namespace starling::mpi
