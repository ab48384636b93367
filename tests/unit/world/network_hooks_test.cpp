// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "world/network/network_hooks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace starling::world {
namespace {

using bootstrap::Entrance;
using bootstrap::JobCard;
using bootstrap::OpenEntrances;

/// Ranks 0 and 1 are on a, rank 2 on b.
JobCard card_of(std::vector<std::vector<Entrance>> entrances) {
  JobCard card;
  card.nodes = {{"a", {WorldRank(0), WorldRank(1)}, 1, {}}, {"b", {WorldRank(2)}, 1, {}}};
  card.entrances = std::move(entrances);
  return card;
}

TEST(NetworkHooks, OpenAnEntranceAtLoopbackToo) {
  const config::Store config;
  const OpenEntrances opened = network_hooks(config).open().value();
  ASSERT_EQ(opened.entrances.size(), opened.listeners.size());
  EXPECT_TRUE(std::ranges::any_of(opened.entrances,
                                  [](const Entrance& entrance) { return entrance.address.starts_with("127.0.0.1:"); }));
  for (const int listener : opened.listeners) EXPECT_EQ(close(listener), 0);
}

TEST(NetworkHooks, RefuseSettingsThatMakeNoSense) {
  for (const char* name : {"NET_INTERFACES", "NET_PORTS"}) {
    config::Store config;
    ASSERT_TRUE(config.set(name, ",").ok());
    const auto opened = network_hooks(config).open();
    ASSERT_FALSE(opened.ok()) << name;
    EXPECT_NE(opened.status().message().find(name), std::string::npos) << opened.status().message();
  }
}

TEST(NetworkHooks, ChooseTheSameOfEachRanksEntrances) {
  const config::Store config;
  JobCard card = card_of({{{"172.17.0.1:1", "docker0"}, {"10.0.0.1:2", "eth0"}, {"127.0.0.1:3", "lo"}},
                          {{"10.0.0.1:4", "eth0"}, {"127.0.0.1:5", "lo"}},
                          {{"10.0.0.2:6", "eth0"}, {"172.17.0.1:7", "docker0"}, {"[2001:db8::2]:8", "eth0"}}});
  ASSERT_TRUE(network_hooks(config).choose(card).ok());
  EXPECT_EQ(
      card.entrances,
      (std::vector<std::vector<Entrance>>{
          {{"10.0.0.1:2", "eth0"}}, {{"10.0.0.1:4", "eth0"}}, {{"10.0.0.2:6", "eth0"}, {"[2001:db8::2]:8", "eth0"}}}));
}

TEST(NetworkHooks, ChooseLoopbackWhereAllHostsAreOneMachine) {
  const config::Store config;
  JobCard card = card_of({{{"10.0.0.1:1", "eth0"}, {"127.0.0.1:2", "lo"}},
                          {{"10.0.0.1:3", "eth0"}, {"127.0.0.1:4", "lo"}},
                          {{"10.0.0.1:5", "eth0"}, {"127.0.0.1:6", "lo"}}});
  card.nodes[1].host = "a";
  ASSERT_TRUE(network_hooks(config).choose(card).ok());
  EXPECT_EQ(card.entrances[2], (std::vector<Entrance>{{"127.0.0.1:6", "lo"}}));
  card = card_of({{{"10.0.0.1:1", "eth0"}}, {{"10.0.0.1:3", "eth0"}}, {{"10.0.0.1:5", "eth0"}}});
  const Status twins = network_hooks(config).choose(card);
  EXPECT_NE(twins.message().find("host b has the same address"), std::string::npos) << twins.message();
}

}  // namespace
}  // namespace starling::world
