// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Processes that join a job on several nodes as ranks do: by what they find in their environment.
#include "world/network/job_network.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "bootstrap/environment.hpp"
#include "transport/shm/geometry.hpp"
#include "world/world.hpp"

namespace starling::world {
namespace {

using bootstrap::JobCard;
using transport::tcp::Listener;
using transport::tcp::SocketAddress;

/// Plays the launchers of all nodes: ranks 0 and 2 are on a, ranks 1 and 3 on b.
class JobNetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    card_.job = 4711;
    card_.secret.fill(std::byte{7});
    card_.nodes = {{"a", {WorldRank(0), WorldRank(2)}, 1, {}}, {"b", {WorldRank(1), WorldRank(3)}, 1, {}}};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, event_), 0);
  }
  void TearDown() override {
    for (const int end : event_) close(end);
  }

  void open_entrances() {
    std::size_t ranks = 0;
    for (const JobCard::Node& node : card_.nodes) ranks += node.ranks.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      listeners_.push_back(Listener::open(SocketAddress::loopback(), {}).value());
      card_.entrances.push_back({{listeners_.back().address().text(), "lo"}});
    }
  }
  void make_segments() {
    for (const JobCard::Node& node : card_.nodes) {
      memory::JobGeometry geometry =
          transport::shm::geometry(static_cast<std::uint32_t>(node.ranks.size()), config::Store());
      geometry.world_ranks = static_cast<std::uint32_t>(card_.entrances.size());
      segments_.push_back(memory::JobSegment::create(geometry).value());
      segments_.back()->header().usable_cores = 1;
    }
  }
  JobCard card_of(std::size_t node) const {
    JobCard card = card_;
    card.own_node = static_cast<std::int32_t>(node);
    for (const WorldRank rank : card.nodes[node].ranks)
      card.listeners.push_back({listeners_[rank.index()].descriptor()});
    return card;
  }
  /// The environment of a rank.
  void offer(const JobCard& card, std::size_t local) {
    const auto& segment = segments_[static_cast<std::size_t>(card.own_node)];
    setenv(bootstrap::kSegmentVariable, std::to_string(segment->descriptor()).c_str(), 1);
    setenv(bootstrap::kEventVariable, std::to_string(event_[0]).c_str(), 1);
    setenv(bootstrap::kRankVariable, std::to_string(local).c_str(), 1);
    setenv(bootstrap::kCardVariable, std::to_string(card.to_file().value().release()).c_str(), 1);
  }
  static bool live(const std::function<bool(World&)>& body) {
    std::vector<std::string> warnings;
    const auto world = join_world({}, &warnings);
    if (!world.ok()) std::fprintf(stderr, "%s\n", world.status().message().c_str());
    return world.ok() && warnings.empty() && body(*world.value()) && world.value()->finalize().ok();
  }
  /// Each rank is a process, in which body says whether all is well. Returns how many said so.
  int run(const std::function<bool(World&)>& body) {
    std::vector<pid_t> children;
    for (std::size_t node = 0; node < card_.nodes.size(); ++node) {
      for (std::size_t local = 0; local < card_.nodes[node].ranks.size(); ++local) {
        children.push_back(fork());
        if (children.back() != 0) continue;
        offer(card_of(node), local);
        _exit(live(body) ? 0 : 1);
      }
    }
    int well = 0;
    for (const pid_t child : children) {
      int status = 0;
      if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) ++well;
    }
    return well;
  }

  JobCard card_;
  std::vector<Listener> listeners_;
  std::vector<std::unique_ptr<memory::JobSegment>> segments_;
  int event_[2] = {-1, -1};
};

/// Every rank hears of every other.
bool hears_all(World& world) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(world.size()), -1);
  const std::int32_t mine = world.rank().value;
  if (!world.collectives().allgather(*world.comm_world(), &mine, ranks.data(), sizeof mine).ok()) return false;
  for (std::int32_t rank = 0; rank < world.size(); ++rank) {
    if (ranks[static_cast<std::size_t>(rank)] != rank) return false;
  }
  return true;
}

bool has_libcrypto() {
  return dlopen("libcrypto.so.3", RTLD_NOW | RTLD_NOLOAD) != nullptr ||
         dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

TEST_F(JobNetworkTest, RanksReachThoseOfOtherNodesByTheCard) {
  open_entrances();
  make_segments();
  const bool was_there = has_libcrypto();  // another test has loaded it
  EXPECT_EQ(run([was_there](World& world) {
              // libcrypto is loaded for the first connection only.
              return world.size() == 4 && world.placement().nodes() == 2 && (was_there || !has_libcrypto()) &&
                     hears_all(world);
            }),
            4);
}

TEST_F(JobNetworkTest, AJobOnOneNodeOpensNoNetwork) {
  card_.nodes = {{"a", {WorldRank(0), WorldRank(1)}, 1, {}}};
  open_entrances();
  make_segments();
  const bool was_there = has_libcrypto();
  EXPECT_EQ(run([was_there](World& world) {
              return world.size() == 2 && hears_all(world) && (was_there || !has_libcrypto());
            }),
            2);
}

bootstrap::Job job_with(const JobCard& card, LocalRank local) {
  bootstrap::Job job;
  job.card = bootstrap::JobCardView::of_file(card.to_file().value().get()).value();
  job.placement = std::make_shared<const memory::Placement>(job.card->placement());
  job.rank = job.placement->world_of(local);
  job.local_rank = local;
  job.listeners = job.card->listeners_of(local);
  return job;
}

TEST_F(JobNetworkTest, HasTheRosterFromTheCard) {
  open_entrances();
  bootstrap::Job job = job_with(card_of(1), LocalRank(0));
  const auto network = JobNetwork::create(job, "").value();
  EXPECT_FALSE(job.card.has_value());
  const transport::tcp::Endpoint& endpoint = *network->networks().tcp;
  EXPECT_EQ(endpoint.roster.job, 4711U);
  EXPECT_EQ(endpoint.roster.secret, card_.secret);
  bootstrap::Job other = job_with(card_of(0), LocalRank(0));
  const auto others = JobNetwork::create(other, "REPRODUCIBLE=1\n").value();
  EXPECT_EQ(others->networks().tcp->roster.alike.library, endpoint.roster.alike.library);
  EXPECT_NE(others->networks().tcp->roster.alike.settings, endpoint.roster.alike.settings);
  EXPECT_EQ(endpoint.roster.size(), 4U);
  EXPECT_EQ(endpoint.roster.text_of(WorldRank(2)), "rank 2 on a");
  EXPECT_EQ(endpoint.roster.text_of(WorldRank(3)), "rank 3 on b");
  ASSERT_EQ(endpoint.listeners.size(), 1U);
  EXPECT_EQ(endpoint.listeners.front().address(), endpoint.roster.addresses(WorldRank(1)).front());
  for (const int rank : {0, 1}) static_cast<void>(listeners_[static_cast<std::size_t>(rank)].release());  // taken over
}

TEST_F(JobNetworkTest, RefusesADescriptorThatDoesNotListen) {
  open_entrances();
  JobCard card = card_of(0);
  card.listeners[1] = card.listeners[0];
  bootstrap::Job job = job_with(card, LocalRank(1));
  const auto network = JobNetwork::create(job, "");
  ASSERT_FALSE(network.ok());
  EXPECT_NE(network.status().message().find("wrapper script"), std::string::npos) << network.status().message();
}

TEST_F(JobNetworkTest, RefusesAddressesThatAreNone) {
  open_entrances();
  for (const char* address : {"", "a:1", "10.0.0.1", "10.0.0.1:70000", "2001:db8::1:5:6:7:8:9:4000"}) {
    card_.entrances[3] = {{address, "eth0"}};
    bootstrap::Job job = job_with(card_of(0), LocalRank(0));
    EXPECT_FALSE(JobNetwork::create(job, "").ok()) << address;
  }
}

}  // namespace
}  // namespace starling::world
