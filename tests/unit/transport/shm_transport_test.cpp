// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/shm_transport.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <vector>

#include "transport/shm/geometry.hpp"

namespace starling::transport::shm {
namespace {

/// Keeps what it is given, and where that lay.
struct Inbox final : Sink {
  void on_packet(PeerId peer, const Packet& packet) override {
    peers.push_back(peer);
    places.push_back(packet.payload.data());
    messages.emplace_back(packet.payload.begin(), packet.payload.end());
  }
  std::vector<PeerId> peers;
  std::vector<const std::byte*> places;
  std::vector<std::vector<std::byte>> messages;
};

/// Two ranks of one thread, which therefore take turns.
struct PairTest : ::testing::Test {
  void open(const std::vector<std::pair<std::string, std::string>>& settings) {
    config::Store config;
    for (const auto& [name, value] : settings) ASSERT_TRUE(config.set(name, value).ok()) << name;
    auto made = memory::JobSegment::create(geometry(2, config));
    ASSERT_TRUE(made.ok()) << made.status().message();
    segment = std::move(made).value();
    for (std::uint32_t rank : {0, 1}) {
      ends[rank] = ShmTransport::create(*segment, LocalRank(rank), {PeerId(70), PeerId(71)}, config).value();
    }
  }
  bool send(std::size_t from, std::size_t bytes, unsigned char fill) {
    const std::vector<std::byte> payload(bytes, std::byte{fill});
    return ends[from]->try_send(address_of(LocalRank(1 - from)), {}, payload.data(), bytes);
  }
  Inbox take(std::size_t rank) {
    Inbox inbox;
    while (ends[rank]->poll(inbox)) {
    }
    return inbox;
  }

  /// Where messages of so many bytes lie that are answered one by one.
  void find_places_of_answered(std::size_t bytes, std::vector<const std::byte*>& places) {
    for (int round = 0; round < 300; ++round) {
      ASSERT_TRUE(send(0, bytes, 1));
      places.push_back(take(1).places.at(0));
      ASSERT_TRUE(send(1, 0, 2));
      ASSERT_EQ(take(0).messages.size(), 1U);
    }
  }

  std::unique_ptr<memory::JobSegment> segment;
  std::unique_ptr<ShmTransport> ends[2];
};

TEST_F(PairTest, AnAnswerMakesTheSameBufferFreeAgain) {
  open({});
  std::vector<const std::byte*> places;
  ASSERT_NO_FATAL_FAILURE(find_places_of_answered(1000, places));
  for (const std::byte* place : places) EXPECT_EQ(place, places.front());
}

TEST_F(PairTest, WithoutAnAnswerABufferIsNotUsedAgainAtOnce) {
  open({});
  ASSERT_TRUE(send(0, 1000, 1));
  const std::byte* first = take(1).places.at(0);
  ASSERT_TRUE(send(0, 1000, 1));
  EXPECT_NE(take(1).places.at(0), first);
}

TEST_F(PairTest, WhatIsWrittenPastTheCacheGoesAroundThePool) {
  open({{"SHM_CACHED_NEAR", "4k"}});  // a thread is near to itself
  std::vector<const std::byte*> places;
  ASSERT_NO_FATAL_FAILURE(find_places_of_answered(8000, places));
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_NE(places[i], places[i - 1]) << i;
}

TEST_F(PairTest, BurstsOfAnyLengthBetweenAnswersStayWhole) {
  const std::uint64_t seed = std::random_device{}();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  // A ring in which far more can be taken between two packets of the other direction than one of them can tell.
  for (const char* pool : {"0", "1m"}) {
    open({{"SHM_RING_SLOTS", "1024"}, {"SHM_SEND_POOL", pool}});
    std::mt19937_64 random(seed);
    for (int turn = 0; turn < 200; ++turn) {
      const std::size_t from = random() % 2;
      const std::size_t limit = random() % 2 == 0 ? 1200 : 5;
      std::vector<std::pair<std::size_t, unsigned char>> sent;
      for (std::size_t count = random() % limit; count != 0; --count) {
        const std::size_t bytes = random() % 16 == 0 ? random() % 8192 : random() % 300;
        const auto fill = static_cast<unsigned char>(random());
        if (!send(from, bytes, fill)) break;
        sent.emplace_back(bytes, fill);
      }
      const Inbox inbox = take(1 - from);
      ASSERT_EQ(inbox.messages.size(), sent.size());
      for (std::size_t i = 0; i < sent.size(); ++i) {
        ASSERT_EQ(inbox.messages[i], std::vector<std::byte>(sent[i].first, std::byte{sent[i].second}));
      }
    }
    for (std::size_t rank : {0, 1}) EXPECT_EQ(ends[rank]->in_flight(address_of(LocalRank(1 - rank))), 0U);
  }
}

TEST_F(PairTest, ReportsWhatItReceivesUnderTheNumberThatItWasTold) {
  open({});
  ASSERT_TRUE(send(0, 8, 1));
  EXPECT_EQ(take(1).peers, std::vector<PeerId>{PeerId(70)});
}

TEST_F(PairTest, DeliversAllThatADeadPeerHadSentAndNothingLater) {
  // More than one poll takes.
  open({{"SHM_POLL_BATCH", "2"}});
  for (unsigned char fill = 0; fill < 9; ++fill) ASSERT_TRUE(send(0, 300, fill));
  Inbox inbox;
  ends[1]->peer_failed(address_of(LocalRank(0)), inbox);
  ASSERT_EQ(inbox.messages.size(), 9U);
  EXPECT_EQ(inbox.messages.back(), std::vector<std::byte>(300, std::byte{8}));
  ASSERT_TRUE(send(0, 300, 9));
  EXPECT_TRUE(take(1).messages.empty());
}

TEST_F(PairTest, EachEndCopiesHalfOfALongMessageButAllOfItWhereBothSend) {
  open({});
  constexpr std::uint64_t kBytes = 64 * 1024;
  const Address of_other[] = {address_of(LocalRank(1)), address_of(LocalRank(0))};
  for (const std::size_t rank : {0, 1}) {
    ASSERT_TRUE(send(rank, 8, 1));
    take(1 - rank);
    segment->rank(LocalRank(static_cast<std::int32_t>(rank))).pid.store(getpid());
  }
  std::vector<std::byte> sent(kBytes, std::byte{7});
  std::vector<std::byte> received(2 * kBytes);
  SingleCopy* copies[] = {ends[0]->single_copy(), ends[1]->single_copy()};
  const auto offer_from = [&](std::size_t rank) {
    return copies[rank]->offer(of_other[rank], sent.data(), sent.size(), SingleCopy::Withdrawal::kNever);
  };

  const CopyOffer alone = offer_from(0);
  ASSERT_TRUE(copies[1]->open(of_other[1], alone, received.data(), kBytes));
  EXPECT_EQ(copies[1]->advance(of_other[1], alone), CopyState::kMoved);
  EXPECT_EQ(copies[0]->help(of_other[0], alone), CopyState::kDone);
  copies[1]->close(of_other[1], alone);

  const CopyOffer crossing[] = {offer_from(0), offer_from(1)};
  for (const std::size_t rank : {0, 1}) {
    ASSERT_TRUE(copies[rank]->open(of_other[rank], crossing[1 - rank], received.data() + rank * kBytes, kBytes));
    EXPECT_EQ(copies[rank]->advance(of_other[rank], crossing[1 - rank]), CopyState::kDone);
    copies[rank]->close(of_other[rank], crossing[1 - rank]);
  }
  for (const std::size_t rank : {0, 1}) {
    EXPECT_EQ(copies[rank]->help(of_other[rank], crossing[rank]), CopyState::kDone);
  }
  EXPECT_EQ(received, std::vector<std::byte>(2 * kBytes, std::byte{7}));

  const CopyOffer again = offer_from(0);
  ASSERT_TRUE(copies[1]->open(of_other[1], again, received.data(), kBytes));
  EXPECT_EQ(copies[1]->advance(of_other[1], again), CopyState::kMoved) << "an offer that has ended still counts";
}

}  // namespace
}  // namespace starling::transport::shm
