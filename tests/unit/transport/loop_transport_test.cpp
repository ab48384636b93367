// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The rules of the simulated network, one by one, by ranks that take turns in one thread.
#include "transport/loop/loop_transport.hpp"

#include "base/clock.hpp"
#include "datatype/pack/pack.hpp"
#include "unit/transport/loop_nodes.hpp"

namespace starling::transport::loop {
namespace {

using Words = std::vector<std::uint64_t>;

/// The highest of numbers that were sent from 0 on until there was no room; how many there are.
std::uint64_t fill_link(LoopNodes& nodes, std::size_t bytes) {
  std::uint64_t sent = 0;
  while (nodes.send(0, 1, sent, bytes)) ++sent;
  return sent;
}

TEST(LoopTransport, CarriesHeaderWordsAndACopyOfThePayload) {
  LoopNodes nodes(2, {});
  std::vector<std::byte> payload(777, std::byte{7});
  PacketHeader header;
  header.tag = 5;
  ASSERT_TRUE(nodes.end(0).try_send_words(Address(1), header, {3, 4}, payload.data(), payload.size()));
  payload.assign(777, std::byte{0});
  struct Check final : Sink {
    void on_packet(PeerId peer, const Packet& packet) override {
      EXPECT_EQ(peer.value, LoopInbox::kFirstPeer);
      EXPECT_EQ(packet.header.tag, 5);
      EXPECT_EQ(packet.words[0], 3U);
      EXPECT_EQ(packet.words[1], 4U);
      ASSERT_EQ(packet.payload.size(), 777U);
      for (const std::byte byte : packet.payload) EXPECT_EQ(byte, std::byte{7});
      ++packets;
    }
    int packets = 0;
  } check;
  EXPECT_TRUE(nodes.end(1).poll(check));
  EXPECT_EQ(check.packets, 1);
  EXPECT_FALSE(nodes.end(1).poll(check));
}

TEST(LoopTransport, HasNoWayToAPeersMemory) {
  LoopNodes nodes(2, {});
  EXPECT_EQ(nodes.end(0).single_copy(), nullptr);
  EXPECT_EQ(nodes.end(0).remote_memory(), nullptr);
}

TEST(LoopTransport, AFullLinkRefusesUntilThePeerHasTakenSomething) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{6000}}) {
    LoopNodes nodes(3, {});
    const std::uint64_t sent = fill_link(nodes, bytes);
    EXPECT_EQ(sent, bytes == 0 ? 48U : 8U);
    EXPECT_EQ(nodes.end(0).in_flight(Address(1)), sent);
    EXPECT_TRUE(nodes.end(0).take_failure().ok());
    EXPECT_TRUE(nodes.send(0, 2, 0, bytes));  // a link of its own
    EXPECT_EQ(nodes.words(1).size(), sent);
    EXPECT_EQ(nodes.end(0).in_flight(Address(1)), 0U);
    EXPECT_TRUE(nodes.send(0, 1, 0, bytes));
  }
}

TEST(LoopTransport, CreditsTravelWithTheNextPacketOrAlone) {
  LoopNodes nodes(2, {});
  nodes.end(1).publish_held(Address(0), 1000);
  EXPECT_EQ(nodes.end(0).held_by(Address(1)), 0U);
  ASSERT_TRUE(nodes.send(1, 0, 9));
  EXPECT_EQ(nodes.words(0), Words{9});
  EXPECT_EQ(nodes.end(0).held_by(Address(1)), 1000U);

  nodes.end(1).publish_held(Address(0), 0);
  EXPECT_TRUE(nodes.take(1).empty());  // its poll sends them
  EXPECT_TRUE(nodes.take(0).empty());
  EXPECT_EQ(nodes.end(0).held_by(Address(1)), 0U);
}

TEST(LoopTransport, CreditsWaitForRoom) {
  LoopNodes nodes(2, {});
  const std::uint64_t sent = fill_link(nodes, 0);
  nodes.end(0).publish_held(Address(1), 5);
  EXPECT_TRUE(nodes.take(0).empty());
  EXPECT_EQ(nodes.words(1).size(), sent);
  EXPECT_EQ(nodes.end(1).held_by(Address(0)), 0U);
  EXPECT_TRUE(nodes.take(0).empty());
  EXPECT_TRUE(nodes.take(1).empty());
  EXPECT_EQ(nodes.end(1).held_by(Address(0)), 5U);
}

TEST(LoopTransport, APacketComesAfterItsDelayAndNotBefore) {
  LoopNodes nodes(2, {.delay_us = 20'000});
  const std::int64_t start = now_ns();
  ASSERT_TRUE(nodes.send(0, 1, 1));
  EXPECT_FALSE(nodes.end(0).flush());
  while (nodes.take(1).empty()) {
  }
  EXPECT_GE(now_ns() - start, 20'000'000);
  EXPECT_TRUE(nodes.end(0).flush());
}

TEST(LoopTransport, WhatWasNotFlushedIsLostWithItsSender) {
  LoopNodes nodes(2, {.delay_us = 5'000});
  ASSERT_TRUE(nodes.send(0, 1, 1));
  while (!nodes.end(0).flush()) {
  }
  ASSERT_TRUE(nodes.send(0, 1, 2));
  nodes.ends[0].reset();
  const std::int64_t end = now_ns() + 10'000'000;
  Words found;
  while (now_ns() < end) {
    for (const std::uint64_t word : nodes.words(1)) found.push_back(word);
  }
  EXPECT_EQ(found, Words{1});
}

TEST(LoopTransport, ACutIsSeenAtBothEndsAndLosesWhatIsUnderWay) {
  LoopNodes nodes(3, {});
  ASSERT_TRUE(nodes.send(0, 1, 1));
  ASSERT_TRUE(nodes.send(2, 1, 2));
  nodes.network->cut(0, 1);
  EXPECT_TRUE(nodes.end(0).is_dead(Address(1)));
  EXPECT_TRUE(nodes.end(1).is_dead(Address(0)));
  EXPECT_FALSE(nodes.end(0).is_dead(Address(2)));
  EXPECT_FALSE(nodes.send(0, 1, 3));
  const Status why = nodes.end(0).take_failure();
  EXPECT_NE(why.message().find("from rank 0 to rank 1"), std::string::npos) << why.message();
  EXPECT_TRUE(nodes.end(0).take_failure().ok());
  EXPECT_EQ(nodes.words(1), Words{2});
}

TEST(LoopTransport, WhatADeadRankHadSentIsDeliveredOnce) {
  LoopNodes nodes(3, {.delay_us = 60'000'000});
  for (const std::uint64_t word : {1, 2, 3}) ASSERT_TRUE(nodes.send(0, 1, word));
  ASSERT_TRUE(nodes.send(1, 0, 9));
  nodes.network->kill(WorldRank(0));
  EXPECT_TRUE(nodes.end(1).is_dead(Address(0)));
  EXPECT_TRUE(nodes.end(2).is_dead(Address(0)));
  EXPECT_FALSE(nodes.end(1).is_dead(Address(2)));
  LoopInbox inbox;
  nodes.end(1).peer_failed(Address(0), inbox);
  ASSERT_EQ(inbox.messages.size(), 3U);
  EXPECT_EQ(inbox.messages[2].word, 3U);
  nodes.end(1).peer_failed(Address(0), inbox);
  EXPECT_EQ(inbox.messages.size(), 3U);
  EXPECT_EQ(nodes.end(1).in_flight(Address(0)), 0U);
}

TEST(LoopTransport, ARankThatHasLeftTakesWhatIsSentToIt) {
  LoopNodes nodes(2, {});
  fill_link(nodes, 0);
  nodes.ends[1].reset();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(nodes.send(0, 1, 1));
  EXPECT_FALSE(nodes.end(0).is_dead(Address(1)));
}

}  // namespace
}  // namespace starling::transport::loop
