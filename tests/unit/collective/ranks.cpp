// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "unit/collective/ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "base/usable_cores.hpp"
#include "memory/usable_cores.hpp"
#include "support/sanitized.hpp"
#include "transport/loop/network.hpp"
#include "transport/shm/geometry.hpp"

namespace starling::collective::test {
namespace {

config::Store store(const Settings& settings) {
  config::Store config;
  for (const auto& [name, text] : settings) {
    const Status set = config.set(name, text);
    EXPECT_TRUE(set.ok()) << set.message();
  }
  return config;
}

}  // namespace

RankWorld::RankWorld(memory::JobSegment& segment, const memory::Placement& placement, std::int32_t rank,
                     const Settings& settings, transport::Networks networks)
    : settings_(settings), config_(store(settings)), rank_(rank), placement_(placement) {
  comm::SharedDomain::Members members;
  const auto here = static_cast<std::int32_t>(placement.node(placement.own_node()).ranks.size());
  for (LocalRank local(0); local.value < here; ++local.value) {
    members.emplace(process_of(placement.world_of(local)), local);
  }
  domain_ = Ref<comm::SharedDomain>::adopt(new comm::SharedDomain(segment, std::move(members)));
  progress_ = std::make_unique<progress::Engine>(segment, placement.local_of(WorldRank(rank)), config_);
  auto p2p = p2p::PointToPoint::create(*progress_, {segment, placement_, WorldRank(rank), config_, networks});
  EXPECT_TRUE(p2p.ok()) << p2p.status().message();
  p2p_ = std::move(p2p).value();
}

std::uint32_t RankWorld::packets_taken() const {
  return progress_->segment().packets().taken(placement_.local_of(WorldRank(rank_)));
}

std::unique_ptr<Collectives> RankWorld::engine(const Settings& settings) {
  Settings all = settings_;
  all.insert(all.end(), settings.begin(), settings.end());
  auto engine = Collectives::create(*p2p_, placement_, store(all));
  EXPECT_TRUE(engine.ok()) << engine.status().message();
  return std::move(engine).value();
}

Ref<comm::Communicator> RankWorld::communicator(Members members) {
  std::vector<ProcessId> everyone;
  for (std::int32_t rank = 0; rank < size(); ++rank) everyone.emplace_back(rank);
  auto group = Ref<comm::Group>::adopt(new comm::Group(everyone));
  next_context_ += 2;
  return Ref<comm::Communicator>::adopt(
      new comm::Communicator(next_context_, std::move(group), rank_, common(members)));
}

Ref<comm::Communicator> RankWorld::communicator(const std::vector<std::int32_t>& ranks) {
  std::vector<ProcessId> members;
  for (const std::int32_t rank : ranks) members.emplace_back(rank);
  auto group = Ref<comm::Group>::adopt(new comm::Group(members));
  next_context_ += 2;
  const std::int32_t me = group->rank_of(process_of(WorldRank(rank_)));
  if (me == comm::Group::kNotMember) return {};
  const Members where = domain_->has_all(*group) ? Members::kOnOneNode : Members::kOnSeveralNodes;
  return Ref<comm::Communicator>::adopt(new comm::Communicator(next_context_, std::move(group), me, common(where)));
}

comm::Communicator::Common RankWorld::common(Members members) const {
  return {{}, members == Members::kOnOneNode ? domain_ : Ref<comm::SharedDomain>()};
}

void run_ranks(std::int32_t size, const std::function<void(RankWorld&)>& body, const Settings& settings,
               std::uint32_t cores) {
  auto segment =
      memory::JobSegment::create(transport::shm::geometry(static_cast<std::uint32_t>(size), store(settings)));
  ASSERT_TRUE(segment.ok()) << segment.status().message();
  segment.value()->header().usable_cores = cores != 0 ? cores : usable_cores();
  std::barrier everybody(size);
  std::vector<std::jthread> threads;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      const memory::Placement placement = memory::Placement::one_node(size, memory::usable_cores_of(*segment.value()));
      RankWorld world(*segment.value(), placement, rank, settings);
      everybody.arrive_and_wait();
      body(world);
      EXPECT_TRUE(world.p2p().drain().ok());
      everybody.arrive_and_wait();
    });
  }
}

void run_ranks_with_few_and_many_cores(std::int32_t size, const std::function<void(RankWorld&)>& body) {
  for (const std::uint32_t cores : {1U, 64U}) run_ranks(size, body, {{"WAIT", "yield"}}, cores);
}

namespace {

/// What a thread of run_on_nodes() does. As at the end of a job: no rank leaves while another may still need it.
void run_and_leave(RankWorld& world, const std::function<void(RankWorld&)>& body) {
  auto last = world.communicator(Members::kOnSeveralNodes);
  body(world);
  EXPECT_TRUE(world.p2p().drain().ok());
  Arguments barrier;
  barrier.comm = last.get();
  EXPECT_TRUE(world.engine()->run(barrier).ok());
  EXPECT_TRUE(world.p2p().drain().ok());
}

}  // namespace

void run_on_nodes(const Nodes& nodes, const std::function<void(RankWorld&)>& body, const Settings& settings) {
  std::vector<std::vector<WorldRank>> ranks;
  std::vector<memory::Placement::Node> placed;
  for (const std::vector<std::int32_t>& node : nodes) {
    auto& of_node = ranks.emplace_back();
    for (const std::int32_t rank : node) of_node.emplace_back(rank);
    placed.push_back({of_node, 1});
  }
  const auto network = transport::loop::Network::create(ranks, {});
  ASSERT_TRUE(network.ok()) << network.status().message();
  std::vector<std::unique_ptr<memory::JobSegment>> segments;
  for (const auto& node : ranks) {
    memory::JobGeometry geometry = transport::shm::geometry(static_cast<std::uint32_t>(node.size()), store(settings));
    geometry.world_ranks = static_cast<std::uint32_t>(network.value()->ranks());
    auto segment = memory::JobSegment::create(geometry);
    ASSERT_TRUE(segment.ok()) << segment.status().message();
    segment.value()->header().usable_cores = 1;
    segments.push_back(std::move(segment).value());
  }
  std::vector<std::jthread> threads;
  for (std::size_t node = 0; node < ranks.size(); ++node) {
    for (const WorldRank rank : ranks[node]) {
      threads.emplace_back([&, node, rank] {
        const memory::Placement placement(placed, static_cast<std::int32_t>(node));
        RankWorld world(*segments[node], placement, rank.value, settings, {network.value().get()});
        run_and_leave(world, body);
      });
    }
  }
}

const std::vector<Nodes>& kinds_of_nodes() {
  static const std::vector<Nodes> kinds = {
      {{0, 1}, {2, 3}},
      {{0, 2, 4}, {1, 3, 5}},
      {{0, 1, 2}, {3}, {4, 5}},
      {{0, 3}, {1}, {2, 4, 5}, {6, 7}},
  };
  return kinds;
}

RandomNodes::RandomNodes(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto any = [&](std::int32_t least, std::int32_t most) {
    return std::uniform_int_distribution<std::int32_t>(least, most)(random);
  };
  const std::int32_t ranks = any(2, 9);
  nodes.resize(static_cast<std::size_t>(any(2, std::min(ranks, 4))));
  std::vector<std::int32_t> all;
  for (std::int32_t rank = 0; rank < ranks; ++rank) all.push_back(rank);
  std::vector<std::int32_t> dealt = all;
  if (any(0, 1) == 0) std::shuffle(dealt.begin(), dealt.end(), random);
  const auto count = static_cast<std::int32_t>(nodes.size());
  for (std::int32_t i = 0; i < ranks; ++i) {
    const std::int32_t node = i < count ? i : any(0, count - 1);  // each has a rank
    nodes[static_cast<std::size_t>(node)].push_back(dealt[static_cast<std::size_t>(i)]);
  }
  for (std::vector<std::int32_t>& node : nodes) std::sort(node.begin(), node.end());
  members = all;
  if (any(0, 1) == 0) std::shuffle(members.begin(), members.end(), random);
  members.resize(static_cast<std::size_t>(any(0, 2) == 0 ? any(1, ranks) : ranks));
}

std::vector<std::uint64_t> storm_seeds(int count) {
  if (const char* const seed = std::getenv("STORM_SEED")) return {std::strtoull(seed, nullptr, 10)};
  const auto first = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  std::vector<std::uint64_t> seeds;
  for (int i = 0; i < count; ++i) seeds.push_back(first + static_cast<std::uint64_t>(i));
  return seeds;
}

std::vector<std::int32_t> rank_counts() {
  if (kUnderThreadSanitizer) return {1, 2, 3, 5, 8};
  if (kUnderSanitizer) return {1, 2, 4, 5};
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
}

std::vector<const Algorithm*> tried_algorithms() {
  const char* const wanted = std::getenv("ALGORITHM");
  std::vector<const Algorithm*> tried;
  for (const Algorithm* algorithm : algorithms()) {
    const std::string full_name = std::string(name(algorithm->operation)) + "/" + algorithm->name;
    if (wanted == nullptr || full_name == wanted) tried.push_back(algorithm);
  }
  EXPECT_FALSE(tried.empty()) << "no algorithm is called " << wanted;
  return tried;
}

std::vector<const Algorithm*> shaped_by_costs() {
  std::vector<const Algorithm*> found;
  for (const Algorithm* algorithm : tried_algorithms()) {
    for (const std::string_view name :
         {"postal", "chain", "dissemination", "bruck", "recursive_multiplying", "linear"}) {
      if (algorithm->name == name && algorithm->operation != Operation::kAlltoall) found.push_back(algorithm);
    }
  }
  return found;
}

std::vector<Settings> several_at_once() {
  return {{{"COLL_MESSAGE_NS", "1000"}, {"COLL_NEXT_NS", "200"}, {"COLL_SEND_NS", "200"}},
          {{"COLL_MESSAGE_NS", "9000"}, {"COLL_NEXT_NS", "5"}, {"COLL_SEND_NS", "5"}}};
}

std::string variable(Operation operation) {
  std::string text = std::string("STARLING_COLL_") + name(operation);
  for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
  return text;
}

}  // namespace starling::collective::test
