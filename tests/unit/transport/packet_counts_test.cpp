// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the networks between nodes count: a packet is given before it leaves, and taken once it has been handled.
#include <gtest/gtest.h>

#include "unit/transport/loop_nodes.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport {
namespace {

TEST(TcpTransport, CountsAPacketThatWaitsForItsConnection) {
  tcp::TcpNodes nodes(2);
  EXPECT_FALSE(nodes.try_send(0, 1, 7));
  EXPECT_EQ(nodes.counted.given(1), 1U);
  EXPECT_EQ(nodes.counted.taken(1), 0U);
  nodes.send(0, 1, 7);
  EXPECT_EQ(nodes.counted.given(1), 1U) << "the same packet";
  ASSERT_TRUE(nodes.await(1, 1));
  EXPECT_EQ(nodes.counted.taken(1), 1U);
  EXPECT_EQ(nodes.counted.given(0), 0U);
}

TEST(TcpTransport, CountsAPacketAsTakenWhenItIsWhole) {
  constexpr std::size_t kLong = 4'000'000;
  tcp::TcpNodes nodes(2);
  nodes.send(0, 1, 7);
  nodes.send(0, 1, 8, kLong);
  EXPECT_EQ(nodes.counted.given(1), 2U);
  const bool both_came = nodes.poll_until([&] {
    EXPECT_EQ(nodes.counted.taken(1), nodes.inbox(1).messages.size());
    return nodes.inbox(1).messages.size() == 2;
  });
  EXPECT_TRUE(both_came);
  EXPECT_EQ(nodes.counted.taken(1), 2U);
}

TEST(LoopTransport, CountsThePacketsThatAreUnderWay) {
  loop::Settings settings;
  settings.link_packets = 2;
  loop::LoopNodes nodes(2, settings);
  EXPECT_TRUE(nodes.send(0, 1, 7));
  EXPECT_TRUE(nodes.send(0, 1, 8));
  EXPECT_FALSE(nodes.send(0, 1, 9));
  EXPECT_EQ(nodes.counted.given(1), 3U) << "two are under way, and one finds no room";
  EXPECT_EQ(nodes.counted.taken(1), 0U);
  EXPECT_EQ(nodes.take(1).size(), 2U);
  EXPECT_EQ(nodes.counted.taken(1), 2U);
}

}  // namespace
}  // namespace starling::transport
