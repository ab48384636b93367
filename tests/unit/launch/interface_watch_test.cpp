// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/agent/interface_watch.hpp"

#include <gtest/gtest.h>

#include <set>

namespace starling::launch {
namespace {

using transport::tcp::InterfaceAddress;

using Notes = std::vector<std::string>;

InterfaceAddress address(const std::string& interface, const std::string& host) {
  return {interface, *transport::tcp::SocketAddress::parse(host), 24, 0, true};
}

class InterfaceWatchTest : public testing::Test {
 protected:
  InterfaceWatchTest() {
    watch_.start({address("eth0", "10.0.0.1"), address("eth1", "10.0.1.1"), address("eth1", "fd01::1"),
                  address("lo", "127.0.0.1"), address("lo", "::1")});
  }

  std::set<std::string> down_;
  InterfaceWatch watch_{[this](const std::string& interface) { return !down_.contains(interface); }};
};

TEST_F(InterfaceWatchTest, TellsOnceOfALoss) {
  EXPECT_EQ(watch_.look(), Notes{});
  down_ = {"eth1"};
  EXPECT_EQ(watch_.look(), Notes{"note: interface eth1 (10.0.1.1, fd01::1) is down. The job goes on unless one of its "
                                 "connections is over this interface"});
  EXPECT_EQ(watch_.look(), Notes{});
}

TEST_F(InterfaceWatchTest, TellsOnceOfAReturn) {
  down_ = {"eth0"};
  EXPECT_EQ(watch_.look().size(), 1u);
  down_ = {};
  EXPECT_EQ(watch_.look(),
            Notes{"note: interface eth0 (10.0.0.1) is up again. Further changes of it are not reported"});
  down_ = {"eth0"};
  EXPECT_EQ(watch_.look(), Notes{});
}

TEST_F(InterfaceWatchTest, LooksAtEachInterface) {
  down_ = {"eth0", "eth1"};
  EXPECT_EQ(watch_.look().size(), 2u);
}

TEST_F(InterfaceWatchTest, LeavesLoopbackOut) {
  down_ = {"lo"};
  EXPECT_EQ(watch_.look(), Notes{});
}

}  // namespace
}  // namespace starling::launch
