// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Long payloads over several links between two ranks: all of them arrive once and in order, whatever happens to a link.
#include <poll.h>

#include <atomic>
#include <thread>

#include "support/sanitized.hpp"
#include "unit/transport/tcp_links.hpp"

namespace starling::transport::tcp {
namespace {

constexpr std::uint64_t kStripedPackets = kUnderSanitizer ? 60 : 150;

/// Both directions at once.
class TcpStripes : public testing::Test {
 protected:
  static Settings striped() {
    Settings settings;
    settings.stripe_from = 256 * 1024;
    return settings;
  }
  void start(int links, std::uint64_t packets, Settings settings = striped()) {
    ranks_ = std::make_unique<LinkedRanks>(links, std::move(settings));
    for (const int rank : {0, 1}) {
      streams_[rank] = std::make_unique<LinkedStream>(*ranks_->ends[rank], Address(1 - rank), seed_ + rank, packets);
    }
  }
  /// Polls both until it is so.
  template <typename Done>
  bool go_until(Done&& done) {
    const std::int64_t until = now_ns() + 2 * TcpNodes::kLongNs;
    while (!done()) {
      if (now_ns() > until) return false;
      for (const int rank : {0, 1}) {
        streams_[rank]->send_some();
        ranks_->ends[rank]->poll(*streams_[1 - rank]);
      }
    }
    return true;
  }
  bool are_through() {
    return streams_[0]->has_received_all() && streams_[1]->has_received_all() && ranks_->ends[0]->flush() &&
           ranks_->ends[1]->flush();
  }
  void expect_well() {
    for (const int rank : {0, 1}) {
      EXPECT_TRUE(streams_[rank]->is_right);
      EXPECT_EQ(streams_[rank]->loss, "");
    }
  }

  const std::uint64_t seed_ = std::random_device{}();
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
  std::unique_ptr<LinkedRanks> ranks_;
  std::unique_ptr<LinkedStream> streams_[2];
};

TEST_F(TcpStripes, LongPayloadsTakeAllLinksAndAllPacketsStayInOrder) {
  start(3, kStripedPackets);
  ASSERT_TRUE(go_until([&] { return are_through(); }));
  expect_well();
  for (const int link : {1, 2, 3}) EXPECT_GT(sent_over(link), 128U << 10) << link;
  EXPECT_EQ(ranks_->ends[0]->warning(), "");
}

TEST_F(TcpStripes, NothingTakesAnotherLinkBelowTheSize) {
  for (const std::int64_t from : {std::int64_t{0}, std::int64_t{8} << 20}) {
    Settings settings;
    settings.stripe_from = from;
    start(2, 40, settings);
    ASSERT_TRUE(go_until([&] { return are_through(); }));
    expect_well();
    EXPECT_GT(sent_over(1), 1U << 20);
    for_each_socket_of_link(2, [](int socket) { ADD_FAILURE() << "descriptor " << socket << " is a second link"; });
  }
}

TEST_F(TcpStripes, LinksThatEndAtAnyMomentLoseNothing) {
  std::mt19937_64 random(seed_);
  Settings settings = striped();
  settings.lane_pause_ms = 5;
  start(3, 2 * kStripedPackets, settings);
  int broken = 0;
  std::uint64_t enough = 0;  // bytes that a link shall have carried before it ends
  ASSERT_TRUE(go_until([&] {
    const int link = 2 + static_cast<int>(random() % 2);
    if (random() % 10 == 0 && sent_over(link) > enough) {
      broken += break_link(link);
      enough = random() % (2 << 20);
    }
    return are_through();
  }));
  expect_well();
  EXPECT_GT(broken, 0);
  const std::string warning = ranks_->ends[0]->warning() + ranks_->ends[1]->warning();
  EXPECT_NE(warning.find("has lost its link over card"), std::string::npos) << warning;
  EXPECT_NE(warning.find("its messages took the other links"), std::string::npos) << warning;
}

TEST_F(TcpStripes, ALinkThatHasEndedIsTakenAgain) {
  Settings settings = striped();
  settings.lane_pause_ms = 100;
  start(2, 100'000, settings);
  ASSERT_TRUE(go_until([&] { return sent_over(2) > 1U << 20; }));
  const std::set<ino_t> ended = sockets_of_link(2);
  ASSERT_GT(break_link(2), 0);
  EXPECT_TRUE(go_until([&] { return sent_over(2, ended) > 1U << 20; }))
      << streams_[0]->received() << " and " << streams_[1]->received() << " packets";
  expect_well();
}

TEST_F(TcpStripes, ARankThatEndsInsideOfAPayloadIsADeath) {
  start(3, 100'000);
  ASSERT_TRUE(go_until([&] { return streams_[0]->received() > 20 && sent_over(2) > 1U << 20; }));
  ASSERT_TRUE(go_until([&] { return streams_[1]->is_inside(); }));
  ranks_->ends[1].reset();
  const std::int64_t until = now_ns() + TcpNodes::kLongNs;
  while (streams_[1]->loss.empty() && now_ns() < until) {
    ranks_->ends[0]->poll(*streams_[1]);
  }
  EXPECT_NE(streams_[1]->loss, "");
  EXPECT_TRUE(streams_[1]->is_right);
}

TEST_F(TcpStripes, RanksOfTwoThreadsThatSleepLoseNothing) {
  start(3, kStripedPackets);
  std::atomic<int> through{0};
  std::vector<std::thread> threads;
  for (const int rank : {0, 1}) {
    threads.emplace_back([&, rank] {
      TcpTransport& end = *ranks_->ends[rank];
      LinkedStream& in = *streams_[1 - rank];
      bool is_through = false;
      const std::int64_t until = now_ns() + 2 * TcpNodes::kLongNs;
      while (through < 2 && now_ns() < until) {
        streams_[rank]->send_some();
        const bool moved = end.poll(in);
        if (!is_through && in.has_received_all() && streams_[rank]->has_sent_all() && end.flush()) {
          is_through = true;
          ++through;
        }
        if (moved || !end.wake_source()->arm()) continue;
        pollfd watched{end.wake_source()->descriptor(), POLLIN, 0};
        ::poll(&watched, 1, 50);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(through, 2);
  expect_well();  // how much a link carries depends on the processor
}

// The pieces of a few packets, in any order and some of them twice.

class PacketList final : public FrameSink {
 public:
  void on_frame(const Frame& frame, std::span<const std::byte> payload, bool placed) override {
    EXPECT_EQ(frame.tag, next_++);
    EXPECT_EQ(placed, place_ != nullptr);
    const bool is_right = tests::are_equal(payload, LinkedStream::text_of(frame.words[0], frame.bytes));
    EXPECT_TRUE(is_right || is_withdrawn);
    place_.reset();
    is_withdrawn = false;
  }
  std::byte* destination(const Frame& frame) override {
    if (is_withdrawn) return nullptr;
    if (frame.words[1] == 0) return nullptr;
    if (!place_) place_ = std::make_unique<std::byte[]>(frame.bytes);
    return place_.get();
  }
  [[nodiscard]] std::int32_t taken() const { return next_; }
  bool is_withdrawn = false;

 private:
  std::int32_t next_ = 0;
  std::unique_ptr<std::byte[]> place_;
};

TEST(TcpStripedReceives, PutsPiecesTogetherInWhateverOrderTheyCome) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 30; ++round) {
    StripedReceives receives(TcpTransport::kLongest);
    PacketList packets;
    struct Sent {
      Frame frame;
      std::vector<std::byte> payload;
    };
    std::vector<Sent> on_first;  // in their order
    std::vector<Sent> pieces;    // in any
    std::uint64_t striped = 0;
    std::int32_t count = 0;
    for (; count < 6; ++count) {
      Frame frame;
      frame.tag = count;
      frame.words[0] = static_cast<std::uint64_t>(count);
      frame.words[1] = random() % 2;  // whether there is a place
      const std::size_t bytes = 1 + random() % 600'000;
      const auto payload = LinkedStream::payload_of(frame.words[0], bytes);
      if (random() % 3 == 0) {
        frame.bytes = static_cast<std::uint32_t>(bytes);
        frame.words[1] = 0;
        on_first.push_back({frame, payload});
        continue;
      }
      const StripedHead head{striped, bytes};
      frame.type = FrameType::kStriped;
      frame.bytes = sizeof head;
      const auto head_bytes = std::as_bytes(std::span(&head, 1));
      on_first.push_back({frame, {head_bytes.begin(), head_bytes.end()}});
      for (std::size_t at = 0; at < bytes; at += kPieceBytes) {
        const std::size_t piece = std::min(kPieceBytes, bytes - at);
        const auto from = payload.begin() + static_cast<std::ptrdiff_t>(at);
        for (std::uint64_t times = 1 + random() % 2; times != 0; --times)
          pieces.push_back({frame_of_piece(striped, at, piece), {from, from + static_cast<std::ptrdiff_t>(piece)}});
      }
      ++striped;
    }
    std::ranges::shuffle(pieces, random);
    std::size_t next = 0;
    while (next < on_first.size() || !pieces.empty()) {
      Sent sent;
      if (next < on_first.size() && (pieces.empty() || random() % 3 == 0)) {
        sent = on_first[next++];
      } else {
        sent = std::move(pieces.back());
        pieces.pop_back();
      }
      // As a connection does it: a part goes to its place, then the rest, if it is still the place.
      std::byte* const place = receives.destination(sent.frame, packets);
      if (place != nullptr && sent.frame.type == FrameType::kPiece) {
        std::ranges::copy(sent.payload, place);
        EXPECT_TRUE(receives.on_frame(sent.frame, {place, sent.payload.size()}, true, packets));
      } else {
        EXPECT_TRUE(receives.on_frame(sent.frame, sent.payload, false, packets));
      }
    }
    EXPECT_EQ(packets.taken(), count);
    EXPECT_EQ(receives.taken(), striped);
    EXPECT_FALSE(receives.is_waiting());
  }
}

TEST(TcpStripedReceives, APlaceThatIsWithdrawnIsNotWrittenAnyMore) {
  StripedReceives receives(TcpTransport::kLongest);
  PacketList packets;
  const auto payload = LinkedStream::payload_of(0, 2 * kPieceBytes);
  Frame head_frame;
  head_frame.type = FrameType::kStriped;
  head_frame.bytes = sizeof(StripedHead);
  head_frame.words[1] = 1;
  const StripedHead head{0, payload.size()};
  ASSERT_TRUE(receives.on_frame(head_frame, std::as_bytes(std::span(&head, 1)), false, packets));
  const Frame first = frame_of_piece(0, 0, kPieceBytes);
  const Frame second = frame_of_piece(0, kPieceBytes, kPieceBytes);
  std::byte* const place = receives.destination(first, packets);
  ASSERT_NE(place, nullptr);
  ASSERT_TRUE(receives.on_frame(first, std::span(payload).first(kPieceBytes), false, packets));
  packets.is_withdrawn = true;
  std::byte* const other = receives.destination(second, packets);
  EXPECT_NE(other, place + kPieceBytes);
  ASSERT_TRUE(receives.on_frame(second, std::span(payload).subspan(kPieceBytes), false, packets));
  EXPECT_EQ(packets.taken(), 1);
}

TEST(TcpStripedReceives, WhatIsNotAsAgreedIsRefused) {
  StripedReceives receives(TcpTransport::kLongest);
  PacketList packets;
  const std::vector<std::byte> payload(kPieceBytes);
  EXPECT_FALSE(receives.on_frame(frame_of_piece(0, 7, 100), std::span(payload).first(100), false, packets));
  EXPECT_FALSE(receives.on_frame(frame_of_piece(1 << 20, 0, 100), std::span(payload).first(100), false, packets));
  Frame frame;
  frame.type = FrameType::kStriped;
  for (const StripedHead head : {StripedHead{1, 100}, StripedHead{0, 0}, StripedHead{0, TcpTransport::kLongest + 1}})
    EXPECT_FALSE(receives.on_frame(frame, std::as_bytes(std::span(&head, 1)), false, packets));
  EXPECT_FALSE(receives.on_frame(frame, {}, false, packets));
}

// Which links there are.

InterfaceAddress card_of(const char* interface, const char* address, std::int32_t bits) {
  return {interface, *SocketAddress::parse(address), bits, 0, true};
}
std::vector<SocketAddress> peers_at(std::initializer_list<const char*> addresses) {
  std::vector<SocketAddress> found;
  for (const char* each : addresses) found.push_back(*SocketAddress::parse(each));
  return found;
}

TEST(TcpLaneWays, AreTheNetworksInWhichBothHostsAreByAnotherCard) {
  const std::vector<InterfaceAddress> own = {card_of("eth0", "10.0.0.1", 24), card_of("eth0", "fd00::1", 64),
                                             card_of("eth1", "10.0.1.1", 24), card_of("eth1", "fd01::1", 64),
                                             card_of("eth2", "10.0.2.1", 24)};
  const auto ways = ways_beside(own[0].address.with_port(5), own,
                                peers_at({"10.0.0.2:1", "fd00::2", "10.0.1.2:7", "fd01::2", "10.0.3.2:9"}));
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].text(), "eth1 (10.0.1.1 to 10.0.1.2)");
  EXPECT_EQ(ways[0].peer.port(), 7);
  // Seen from the other link.
  const auto others = ways_beside(own[2].address, own, peers_at({"10.0.0.2", "10.0.1.2", "10.0.2.9"}));
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(others[0].interface, "eth0");
  EXPECT_EQ(others[1].interface, "eth2");
}

TEST(TcpLaneWays, TwoCardsInOneNetworkAreOneLink) {
  const std::vector<InterfaceAddress> own = {card_of("eth0", "10.0.0.1", 24), card_of("eth1", "10.0.0.3", 24)};
  EXPECT_TRUE(ways_beside(own[0].address, own, peers_at({"10.0.0.2", "10.0.0.4"})).empty());
}

TEST(TcpLaneWays, AreNoneWhereOneDoesNotKnow) {
  const std::vector<InterfaceAddress> own = {card_of("eth0", "10.0.0.1", 24), card_of("eth1", "10.0.1.1", 0)};
  EXPECT_TRUE(ways_beside(own[0].address, own, peers_at({"10.0.0.2", "10.0.1.2"})).empty()) << "no prefix";
  const auto peers = peers_at({"10.0.0.2"});
  EXPECT_TRUE(ways_beside(*SocketAddress::parse("192.168.0.1"), own, peers).empty()) << "another card";
  std::vector<InterfaceAddress> down = {own[0], card_of("eth1", "10.0.1.1", 24)};
  down[1].is_up = false;
  EXPECT_TRUE(ways_beside(own[0].address, down, peers_at({"10.0.1.2"})).empty());
}

// How fast a link is.

TEST(TcpLinkRate, IsMeasuredWhileTheLinkIsBusy) {
  LinkRate rate;
  EXPECT_EQ(rate.bytes_per_ns(), LinkRate::kUnknown);
  // 1 byte a nanosecond, always busy.
  std::uint64_t handed = 1'000'100;
  rate.look(0, 0, 0);
  rate.note_handed();
  for (std::int64_t now = 100'000; now <= 900'000; now += 100'000)
    rate.look(handed, handed - static_cast<std::uint64_t>(now), now);
  EXPECT_NEAR(rate.bytes_per_ns(), 1.0, 0.1);
  // Then a few bytes wait for an acknowledgement, which says nothing of its speed.
  for (std::int64_t now = 1'000'000; now <= 40'000'000; now += 1'000'000) rate.look(handed, 100, now);
  EXPECT_NEAR(rate.bytes_per_ns(), 1.0, 0.2);
  // Nor does a second in which it is idle, after which it may be faster.
  rate.look(handed, 0, 1'000'000'000);
  EXPECT_NEAR(rate.bytes_per_ns(), 3.0, 0.3);
  // Then a tenth as fast.
  rate.note_handed();
  handed += 10 << 20;
  for (std::int64_t ms = 1; ms <= 20; ++ms)
    rate.look(handed, (10 << 20) - static_cast<std::uint64_t>(ms) * 100'000, 1'000'000'000 + ms * 1'000'000);
  EXPECT_NEAR(rate.bytes_per_ns(), 0.1, 0.02);
}

}  // namespace
}  // namespace starling::transport::tcp
