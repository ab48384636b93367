// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Packets over TCP, by ranks that take turns in one thread.
#include "transport/tcp/tcp_transport.hpp"

#include <poll.h>

#include <algorithm>
#include <random>

#include "datatype/pack/pack.hpp"
#include "support/pattern.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

using Words = std::vector<std::uint64_t>;

TEST(TcpTransport, ReachesARankAtEachOfItsListeners) {
  for (const std::size_t known : {0UL, 1UL}) {
    TcpNodes nodes(2);
    nodes.ends[1].reset();
    std::vector<Listener> listeners;
    for (int i = 0; i < 2; ++i) listeners.push_back(Listener::open(SocketAddress::loopback(), {}).value());
    const SocketAddress closed = nodes.roster.ranks[1].front();
    nodes.roster.ranks[1] = {closed, listeners[known].address()};
    nodes.ends[1] =
        TcpTransport::create({nodes.roster, listeners}, nodes.settings, WorldRank(1), PeerId(TcpInbox::kFirstPeer))
            .value();
    nodes.send(0, 1, 5, 100);
    ASSERT_TRUE(nodes.await(1, 1));
    EXPECT_EQ(nodes.words(1), Words{5});
    nodes.ends[1].reset();
    for (const Listener& listener : listeners) EXPECT_LT(listener.descriptor(), 0) << "it still listens";
  }
}

TEST(TcpTransport, CarriesHeaderWordsAndPayloadOfAnySize) {
  TcpNodes nodes(2);
  for (const std::size_t bytes : {0UL, 1UL, 39UL, 777UL, 4096UL, 65'536UL, TcpTransport::kMaxPayload}) {
    std::vector<std::byte> payload(bytes);
    for (std::size_t i = 0; i < bytes; ++i) payload[i] = static_cast<std::byte>(i * 7 + bytes);
    PacketHeader header{3, 4, 5, -6, 7};
    ASSERT_TRUE(nodes.poll_until([&] {
      return nodes.end(0).try_send_words(Address(1), header, {8, 9}, payload.data(), bytes);
    }));
    struct Check final : Sink {
      void on_packet(PeerId peer, const Packet& packet) override {
        EXPECT_EQ(peer.value, TcpInbox::kFirstPeer);
        EXPECT_EQ(packet.header.kind, 3);
        EXPECT_EQ(packet.header.flags, 4);
        EXPECT_EQ(packet.header.context_id, 5U);
        EXPECT_EQ(packet.header.tag, -6);
        EXPECT_EQ(packet.header.source, 7);
        EXPECT_EQ(packet.words[0], 8U);
        EXPECT_EQ(packet.words[1], 9U);
        EXPECT_TRUE(tests::are_equal(packet.payload, expected));
        ++packets;
      }
      std::vector<std::byte> expected;
      int packets = 0;
    } check;
    std::swap(check.expected, payload);
    const std::int64_t until = now_ns() + TcpNodes::kLongNs;
    while (check.packets == 0 && now_ns() < until) {
      nodes.end(1).poll(check);
      nodes.end(0).poll(nodes.inbox(0));
    }
    EXPECT_EQ(check.packets, 1) << bytes;
  }
}

TEST(TcpTransport, BeginsAPacketForWhichThereIsNoRoomAndNothingElseLeavesBeforeItsEnd) {
  TcpNodes nodes(2);
  EXPECT_EQ(nodes.end(0).longest(Address(1)), 0U) << "nobody is connected";
  nodes.send(0, 1, 1, 0);
  ASSERT_TRUE(nodes.await(1, 1));
  const std::vector<std::byte> data(nodes.end(0).longest(Address(1)), std::byte{7});
  ASSERT_GT(data.size(), TcpTransport::kMaxPayload);
  // The peer does not read: as many packets as the sockets take, and one that they take in part.
  Words expected = {1};
  std::size_t taken = data.size();
  while (taken == data.size()) {
    const std::optional<std::size_t> now =
        nodes.end(0).try_begin(Address(1), {}, {expected.size() + 1, 0}, data.data(), data.size());
    ASSERT_TRUE(now.has_value());
    expected.push_back(expected.size() + 1);
    taken = *now;
  }
  EXPECT_EQ(nodes.end(0).longest(Address(1)), 0U);
  EXPECT_FALSE(nodes.end(0).try_send(Address(1), {}, nullptr, 0));
  EXPECT_FALSE(nodes.end(0).try_begin(Address(1), {}, {0, 0}, data.data(), data.size()).has_value());
  EXPECT_FALSE(nodes.end(0).flush());
  EXPECT_EQ(nodes.end(0).in_flight(Address(1)), 1U);
  ASSERT_TRUE(nodes.poll_until([&] {
    taken += nodes.end(0).go_on(Address(1), data.data() + taken, data.size() - taken);
    return taken == data.size();
  }));
  nodes.send(0, 1, expected.size() + 1, 0);
  expected.push_back(expected.size() + 1);
  ASSERT_TRUE(nodes.await(1, expected.size()));
  for (std::size_t i = 1; i + 1 < expected.size(); ++i) EXPECT_EQ(nodes.inbox(1).messages[i].payload, data) << i;
  EXPECT_EQ(nodes.words(1), expected);
}

TEST(TcpTransport, ARankThatEndsInsideOfAPacketIsADeath) {
  TcpNodes nodes(2);
  nodes.send(0, 1, 1, 0);
  ASSERT_TRUE(nodes.await(1, 1));
  const std::vector<std::byte> data(nodes.end(0).longest(Address(1)));
  std::optional<std::size_t> taken;
  do {
    taken = nodes.end(0).try_begin(Address(1), {}, {0, 0}, data.data(), data.size());
    ASSERT_TRUE(taken.has_value());
  } while (*taken == data.size());
  nodes.ends[0].reset();
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(1).is_dead(Address(0)); }));
}

TEST(TcpTransport, PacksStraightIntoWhatItWrites) {
  TcpNodes nodes(2);
  const std::vector<std::byte> data(100'000, std::byte{5});
  datatype::PackCursor cursor(datatype::predefined(datatype::Basic::kByte), data.data(), 100'000);
  ASSERT_TRUE(nodes.poll_until([&] {
    return nodes.end(0).try_send_packed(Address(1), {}, {1, 0}, cursor, data.size());
  }));
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).try_send_packed(Address(1), {}, {2, 0}, cursor, 10); }));
  ASSERT_TRUE(nodes.await(1, 2));
  EXPECT_EQ(nodes.inbox(1).messages[0].payload, data);
  EXPECT_TRUE(nodes.inbox(1).messages[1].payload.empty());
}

TEST(TcpTransport, SmallPacketsLeaveTogetherWhenThereAreMany) {
  TcpNodes nodes(2);
  nodes.send(0, 1, 0);
  ASSERT_TRUE(nodes.await(1, 1));
  nodes.end(0).poll(nodes.inbox(0));
  for (std::uint64_t word = 1; word < 5; ++word) ASSERT_TRUE(nodes.try_send(0, 1, word, 8));
  EXPECT_EQ(nodes.end(0).in_flight(Address(1)), 0U);  // a few leave at once
  for (std::uint64_t word = 5; word < 50; ++word) ASSERT_TRUE(nodes.try_send(0, 1, word, 8));
  EXPECT_EQ(nodes.end(0).in_flight(Address(1)), 45U);
  nodes.end(0).poll(nodes.inbox(0));
  EXPECT_EQ(nodes.end(0).in_flight(Address(1)), 0U);
  ASSERT_TRUE(nodes.await(1, 50));
  Words expected(50);
  for (std::size_t i = 0; i < 50; ++i) expected[i] = i;
  EXPECT_EQ(nodes.words(1), expected);
}

// Where ranks share cores each fruitless look costs a turn of them all.
TEST(TcpTransport, LooksFirstAtTheRankThatFollowedTheLastSenderBefore) {
  constexpr std::uint64_t kSenders = 3;
  TcpNodes nodes(1 + kSenders);
  for (std::uint64_t word = 0; word < 40; ++word) {
    const auto from = static_cast<std::int32_t>(1 + word % kSenders);
    nodes.send(from, 0, word, 8);
    if (word <= kSenders) {  // it has not seen yet who follows whom
      ASSERT_TRUE(nodes.await(0, word + 1));
      continue;
    }
    nodes.end(from).poll(nodes.inbox(from));  // what it keeps leaves
    pollfd watched{nodes.socket(0, from), POLLIN, 0};
    ASSERT_EQ(::poll(&watched, 1, 30'000), 1);
    EXPECT_TRUE(nodes.end(0).poll(nodes.inbox(0))) << word;
    ASSERT_TRUE(nodes.await(0, word + 1));
  }
}

TEST(TcpTransport, ConnectsFromEitherSideOnly) {
  for (const auto& [from, to] : {std::pair{0, 1}, std::pair{1, 0}}) {
    TcpNodes nodes(3);
    EXPECT_FALSE(nodes.try_send(from, to, 1));
    nodes.send(from, to, 1);
    ASSERT_TRUE(nodes.await(to, 1));
    EXPECT_TRUE(nodes.try_send(to, from, 2));  // by the same connection
    ASSERT_TRUE(nodes.await(from, 1));
    EXPECT_FALSE(nodes.try_send(to, 2, 3));
  }
}

// Each rank begins to send at a random moment; what is accepted arrives once and in order, by one connection.
TEST(TcpTransport, CallsThatCrossEachOtherLoseNoPacket) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  constexpr std::int32_t kRanks = 3;
  constexpr std::uint64_t kPackets = 3;
  for (int round = 0; round < 150; ++round) {
    TcpNodes nodes(kRanks);
    std::uint64_t sent[kRanks][kRanks] = {};
    std::size_t left = kRanks * (kRanks - 1) * kPackets;
    while (left != 0) {
      const auto from = static_cast<std::int32_t>(random() % kRanks);
      const auto to = static_cast<std::int32_t>(random() % kRanks);
      if (random() % 3 == 0) nodes.end(from).poll(nodes.inbox(from));
      ASSERT_FALSE(nodes.end(from).is_dead(Address(to))) << "from " << from << " to " << to << ", round " << round;
      if (from == to || sent[from][to] == kPackets || !nodes.try_send(from, to, sent[from][to], 8)) continue;
      ++sent[from][to];
      --left;
    }
    for (std::int32_t rank = 0; rank < kRanks; ++rank) {
      ASSERT_TRUE(nodes.await(rank, (kRanks - 1) * kPackets)) << "rank " << rank << ", round " << round;
      std::uint64_t expected[kRanks] = {};
      for (const TcpInbox::Message& message : nodes.inbox(rank).messages)
        EXPECT_EQ(message.word, expected[message.from]++);
      EXPECT_EQ(nodes.end(rank).strangers(), 0U);
    }
  }
}

TEST(TcpTransport, RanksThatFloodEachOtherAreHeldBackAndLoseNothing) {
  TcpNodes nodes(2);
  nodes.send(0, 1, 0, 8);
  ASSERT_TRUE(nodes.await(1, 1));
  std::uint64_t sent[2] = {1, 0};
  constexpr std::size_t kBytes = 100'000;
  for (const int from : {0, 1}) {
    while (nodes.try_send(from, 1 - from, sent[from], kBytes)) ++sent[from];
    EXPECT_LT(sent[from], 1000U);
    EXPECT_TRUE(nodes.end(from).take_failure().ok());
  }
  // Both go on while they read.
  ASSERT_TRUE(nodes.poll_until([&] {
    for (const int from : {0, 1}) sent[from] += nodes.try_send(from, 1 - from, sent[from], kBytes) ? 1 : 0;
    return sent[0] > 300 && sent[1] > 300;
  }));
  for (const int to : {0, 1}) {
    ASSERT_TRUE(nodes.await(to, sent[1 - to]));
    std::uint64_t expected = 0;
    for (const TcpInbox::Message& message : nodes.inbox(to).messages) {
      ASSERT_EQ(message.word, expected++);
      ASSERT_TRUE(message.is_whole());
    }
  }
}

// Nobody reads until nobody can send; then all read while they send.
TEST(TcpTransport, SeveralSendersThatFloodEachOtherLoseNothing) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  constexpr std::int32_t kRanks = 4;
  TcpNodes nodes(kRanks);
  std::uint64_t sent[kRanks][kRanks] = {};
  const auto send_some = [&](std::int32_t from, std::int32_t to) {
    const bool is_sent = from != to && nodes.try_send(from, to, sent[from][to], random() % 200'000);
    sent[from][to] += is_sent ? 1 : 0;
    return is_sent;
  };
  for (std::int32_t from = 0; from < kRanks; ++from) {
    for (std::int32_t to = 0; to < kRanks; ++to) {
      if (from != to) nodes.send(from, to, sent[from][to]++);
    }
  }
  for (std::int32_t from = 0; from < kRanks; ++from) {
    for (std::int32_t to = 0; to < kRanks; ++to) {
      for (int refused = 0; refused < 20;) refused += send_some(from, to) ? 0 : 1;
      EXPECT_LT(sent[from][to], 1000U);
    }
  }
  for (int round = 0; round < 400; ++round) {
    const auto from = static_cast<std::int32_t>(random() % kRanks);
    send_some(from, static_cast<std::int32_t>(random() % kRanks));
    nodes.end(from).poll(nodes.inbox(from));
  }
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    std::size_t expected = 0;
    for (const auto& row : sent) expected += row[rank];
    ASSERT_TRUE(nodes.await(rank, expected)) << rank;
    std::uint64_t next[kRanks] = {};
    for (const TcpInbox::Message& message : nodes.inbox(rank).messages) {
      ASSERT_EQ(message.word, next[message.from]++);
      ASSERT_TRUE(message.is_whole());
    }
  }
}

TEST(TcpTransport, CreditsTravelWithTheNextPacketOrAlone) {
  TcpNodes nodes(2);
  nodes.send(0, 1, 0);
  ASSERT_TRUE(nodes.await(1, 1));
  nodes.end(1).publish_held(Address(0), 1000);
  ASSERT_TRUE(nodes.try_send(1, 0, 9));
  ASSERT_TRUE(nodes.await(0, 1));
  EXPECT_EQ(nodes.end(0).held_by(Address(1)), 1000U);
  nodes.end(1).publish_held(Address(0), 5'000'000'000);
  EXPECT_TRUE(nodes.poll_until([&] { return nodes.end(0).held_by(Address(1)) >= 5'000'000'000; }));
  nodes.end(1).publish_held(Address(0), 0);
  EXPECT_TRUE(nodes.poll_until([&] { return nodes.end(0).held_by(Address(1)) == 0; }));
  EXPECT_EQ(nodes.inbox(0).messages.size(), 1U);
}

TEST(TcpTransport, ARankThatEndsHasDeliveredWhatItFlushedAndIsNotTakenForDead) {
  TcpNodes nodes(2);
  nodes.send(0, 1, 1, 200'000);
  nodes.send(0, 1, 2, 100'000);
  nodes.send(0, 1, 3, 8);
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush(); }));
  nodes.ends[0].reset();
  ASSERT_TRUE(nodes.await(1, 3));
  EXPECT_EQ(nodes.words(1), (Words{1, 2, 3}));
  for (int i = 0; i < 1000; ++i) {
    nodes.end(1).poll(nodes.inbox(1));
    nodes.try_send(1, 0, 4, 8);
  }
  EXPECT_FALSE(nodes.end(1).is_dead(Address(0)));
  EXPECT_TRUE(nodes.inbox(1).losses.empty());
  EXPECT_TRUE(nodes.try_send(1, 0, 5));  // nobody is there to take it
  EXPECT_TRUE(nodes.end(1).take_failure().ok());
}

TEST(TcpTransport, AConnectionThatEndsWithoutAGoodbyeIsADeath) {
  TcpNodes nodes(2);
  {
    RawCaller caller(nodes.roster, 0, 1);
    ASSERT_TRUE(caller.join(nodes));
    Frame frame;
    frame.words[0] = 42;
    ASSERT_TRUE(send_message(caller.socket.get(), frame));
    ASSERT_TRUE(send_bytes(caller.socket.get(), std::as_bytes(std::span(&frame, 1)).first(11)));
  }
  EXPECT_TRUE(nodes.poll_until([&] { return nodes.end(1).is_dead(Address(0)); }));
  EXPECT_EQ(nodes.words(1), Words{42});
  EXPECT_FALSE(nodes.try_send(1, 0, 1));
  const Status why = nodes.end(1).take_failure();
  EXPECT_NE(why.message().find("from rank 1 to rank 0"), std::string::npos) << why.message();
  ASSERT_EQ(nodes.inbox(1).losses.size(), 1U);
  EXPECT_EQ(nodes.inbox(1).losses[0], std::pair(0, why.message()));
}

TEST(TcpTransport, AGoodbyeHoldsUntilThePeerSendsAgain) {
  for (const bool sends_again : {false, true}) {
    TcpNodes nodes(2);
    {
      RawCaller caller(nodes.roster, 0, 1);
      ASSERT_TRUE(caller.join(nodes));
      Frame goodbye;
      goodbye.type = FrameType::kGoodbye;
      ASSERT_TRUE(send_message(caller.socket.get(), goodbye));
      Frame packet;
      packet.words[0] = 7;
      ASSERT_TRUE(!sends_again || send_message(caller.socket.get(), packet));
    }
    int polls = 0;
    nodes.poll_until([&] { return nodes.end(1).is_dead(Address(0)) || (!sends_again && ++polls == 10'000); });
    EXPECT_EQ(nodes.end(1).is_dead(Address(0)), sends_again);
    EXPECT_EQ(nodes.inbox(1).losses.size(), sends_again ? 1U : 0U);
    EXPECT_EQ(nodes.words(1), sends_again ? Words{7} : Words{});
  }
}

TEST(TcpTransport, APeerThatHasSaidGoodbyeCanBeTalkedToUntilItEnds) {
  TcpNodes nodes(2);
  nodes.send(0, 1, 1, 8);
  ASSERT_TRUE(nodes.await(1, 1));
  nodes.end(0).say_goodbye();
  nodes.send(1, 0, 2, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  nodes.send(0, 1, 3, 8);
  ASSERT_TRUE(nodes.await(1, 2));
  EXPECT_EQ(nodes.words(1), (Words{1, 3}));
}

TEST(TcpTransport, WhatADeadRankHadSentIsDelivered) {
  TcpNodes nodes(2);
  for (const std::uint64_t word : {1, 2, 3}) nodes.send(0, 1, word, 50'000);
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush(); }));
  nodes.end(1).peer_failed(Address(0), nodes.inbox(1));
  EXPECT_EQ(nodes.words(1), (Words{1, 2, 3}));
  EXPECT_TRUE(nodes.end(1).is_dead(Address(0)));
}

TEST(TcpTransport, APeerThatIsNotThereIsNamedWithItsAddress) {
  TcpNodes nodes(2, impatient_settings());
  nodes.ends[0].reset();  // with it the listener
  Status why;
  ASSERT_TRUE(nodes.poll_until([&] {
    EXPECT_FALSE(nodes.try_send(1, 0, 1));
    why = nodes.end(1).take_failure();
    return !why.ok();
  }));
  EXPECT_NE(why.message().find("rank 1 cannot connect to rank 0"), std::string::npos) << why.message();
  EXPECT_NE(why.message().find(nodes.roster.addresses(WorldRank(0)).front().text()), std::string::npos)
      << why.message();
  EXPECT_EQ(why.error_class(), ErrorClass::kProcFailed);
  ASSERT_TRUE(nodes.poll_until([&] { return !nodes.inbox(1).losses.empty(); }));
  EXPECT_EQ(nodes.inbox(1).losses[0], std::pair(0, why.message()));
}

TEST(TcpTransport, HasAThousandConnections) {
  constexpr std::int32_t kRanks = 1001;
  TcpNodes nodes(kRanks);
  for (std::int32_t rank = 1; rank < kRanks; ++rank) nodes.try_send(rank, 0, 0);
  std::vector<bool> sent(kRanks);
  ASSERT_TRUE(nodes.poll_until([&] {
    bool all = true;
    for (std::int32_t rank = 1; rank < kRanks; ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      if (!sent[index]) sent[index] = nodes.try_send(rank, 0, static_cast<std::uint64_t>(rank), 8);
      all = all && sent[index];
    }
    return all;
  }));
  ASSERT_TRUE(nodes.await(0, kRanks - 1));
  for (std::int32_t rank = 1; rank < kRanks; ++rank) nodes.send(0, rank, 7, 8);
  for (std::int32_t rank = 1; rank < kRanks; ++rank) ASSERT_TRUE(nodes.await(rank, 1)) << rank;
  EXPECT_EQ(nodes.end(0).strangers(), 0U);
}

}  // namespace
}  // namespace starling::transport::tcp
