// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Each STARLING_SHM_ variable does what it says: with the setting ignored its test fails.
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transport/shm/geometry.hpp"
#include "transport/shm/shm_transport.hpp"

namespace starling::transport::shm {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Keeps where payloads lay, and how many came.
struct Places final : Sink {
  void on_packet(PeerId /*peer*/, const Packet& packet) override {
    ++packets;
    last = packet.payload.data();
    places.insert(last);
  }
  int packets = 0;
  const std::byte* last = nullptr;
  std::set<const std::byte*> places;
};

/// Three ranks of one thread.
class Node {
 public:
  static constexpr std::uint32_t kRanks = 3;

  explicit Node(const Settings& settings) {
    config::Store config;
    for (const auto& [name, value] : settings) EXPECT_TRUE(config.set(name, value).ok()) << name;
    segment = memory::JobSegment::create(geometry(kRanks, config)).value();
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      segment->rank(LocalRank(rank)).pid.store(getpid());
      ends.push_back(
          ShmTransport::create(*segment, LocalRank(rank), {PeerId(0), PeerId(1), PeerId(2)}, config).value());
    }
  }

  bool send(std::uint32_t from, std::uint32_t to, std::size_t bytes) {
    const std::vector<std::byte> payload(bytes, std::byte{1});
    return ends[from]->try_send(address_of(LocalRank(to)), {}, payload.data(), bytes);
  }
  /// How many packets of so many bytes rank 0 can send to rank 1 before it takes any.
  int send_until_full(std::size_t bytes, std::uint32_t to = 1) {
    int sent = 0;
    while (send(0, to, bytes)) ++sent;
    return sent;
  }
  /// Where so many messages lay that rank 1 answers one by one.
  std::set<const std::byte*> places_of_answered(std::size_t bytes, int rounds = 40) {
    Places there;
    Places back;
    for (int round = 0; round < rounds; ++round) {
      EXPECT_TRUE(send(0, 1, bytes));
      ends[1]->poll(there);
      EXPECT_TRUE(send(1, 0, 0));
      ends[0]->poll(back);
    }
    return there.places;
  }
  /// Where the payload of a message was, of which each took a postbox.
  [[nodiscard]] Form form_of(std::uint32_t from, std::uint32_t to, int message) const {
    const std::uint32_t slots = segment->header().geometry.ring_slots;
    return view(*segment, LocalRank(to), LocalRank(from)).postboxes[static_cast<std::uint32_t>(message) % slots].form;
  }
  /// Pieces that the receiver alone copies a message of so many bytes in.
  int pieces_of(std::uint64_t bytes) {
    EXPECT_TRUE(send(0, 1, 8));
    Places there;
    ends[1]->poll(there);
    const std::vector<std::byte> from(bytes, std::byte{7});
    std::vector<std::byte> to(bytes);
    SingleCopy& sender = *ends[0]->single_copy();
    SingleCopy& receiver = *ends[1]->single_copy();
    const CopyOffer offer =
        sender.offer(address_of(LocalRank(1)), from.data(), from.size(), SingleCopy::Withdrawal::kNever);
    EXPECT_TRUE(receiver.open(address_of(LocalRank(0)), offer, to.data(), bytes));
    int pieces = 1;
    while (receiver.advance(address_of(LocalRank(0)), offer) == CopyState::kMoved) ++pieces;
    EXPECT_EQ(to, from);
    receiver.close(address_of(LocalRank(0)), offer);
    EXPECT_EQ(sender.help(address_of(LocalRank(1)), offer), CopyState::kDone);
    return pieces;
  }

  std::unique_ptr<memory::JobSegment> segment;
  std::vector<std::unique_ptr<ShmTransport>> ends;
};

TEST(ShmSettings, RingSlotsAreThePacketsThatMayBeUnderWay) {
  EXPECT_EQ(Node(Settings{{"SHM_RING_SLOTS", "8"}}).send_until_full(8), 8);
  EXPECT_EQ(Node(Settings{{"SHM_RING_SLOTS", "512"}}).send_until_full(8), 512);
}

TEST(ShmSettings, ConnectionPoolIsWhatThePayloadsOfAConnectionMayTake) {
  EXPECT_EQ(Node(Settings{{"SHM_CONNECTION_POOL", "64k"}}).send_until_full(8192), 8);
  EXPECT_EQ(Node(Settings{{"SHM_CONNECTION_POOL", "256k"}}).send_until_full(8192), 32);
}

TEST(ShmSettings, AReceiverSaysThatAQuarterOfThePoolIsFreeBeforeItHasTakenTheRest) {
  Node node(Settings{{"SHM_CONNECTION_POOL", "64k"}, {"SHM_RING_SLOTS", "512"}});
  ASSERT_EQ(node.send_until_full(8192), 8);
  // As soon as two have come the sender finds room, while the receiver is still at the same poll.
  struct Refilling final : Sink {
    void on_packet(PeerId /*peer*/, const Packet& /*packet*/) override {
      if (++packets == 3) sent = node->send_until_full(8192);
    }
    Node* node = nullptr;
    int packets = 0;
    int sent = 0;
  } sink;
  sink.node = &node;
  node.ends[1]->poll(sink);
  EXPECT_EQ(sink.sent, 2);
}

TEST(ShmSettings, SendPoolIsSharedByAllConnectionsOfASender) {
  Node node(Settings{{"SHM_SEND_POOL", "128k"}});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(node.send(0, 2, 8192));
  EXPECT_EQ(node.send_until_full(8192), 11);
  Node without(Settings{});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(without.send(0, 2, 8192));
  EXPECT_EQ(without.send_until_full(8192), 32);
}

TEST(ShmSettings, FragmentIsTheLargestPayloadOfAPacket) {
  EXPECT_EQ(Node(Settings{{"SHM_FRAGMENT", "1k"}}).ends[0]->limits().max_payload, 1024U);
  EXPECT_EQ(Node(Settings{{"SHM_FRAGMENT", "16k"}}).ends[0]->limits().max_payload, 16384U);
}

TEST(ShmSettings, InlineIsTheLargestPayloadThatNeedsNoBuffer) {
  for (const auto& [setting, is_inline] : {std::pair("40", false), std::pair("1000", true)}) {
    Node node(Settings{{"SHM_INLINE", setting}});
    const std::span<std::byte> buffers = view(*node.segment, LocalRank(1), LocalRank(0)).buffers;
    ASSERT_TRUE(node.send(0, 1, 500));
    Places there;
    node.ends[1]->poll(there);
    const bool is_in_buffers = there.last >= buffers.data() && there.last < buffers.data() + buffers.size();
    EXPECT_EQ(is_in_buffers, !is_inline) << setting;
  }
}

TEST(ShmSettings, CachedIsTheLargestPayloadThatIsWrittenThroughTheCache) {
  // What is written past the cache goes around the pool, what is written through it stays at the front.
  EXPECT_EQ(Node(Settings{{"SHM_CACHED", "16k"}, {"SHM_LEARN", "0"}}).places_of_answered(8000).size(), 1U);
  EXPECT_GT(Node(Settings{{"SHM_CACHED", "500"}, {"SHM_LEARN", "0"}}).places_of_answered(1000).size(), 10U);
}

TEST(ShmSettings, CachedNearIsTheSameOfAReceiverWhoseCoreIsNear) {
  // The receiver of a thread is the thread itself, which is as near as can be; to find out takes some looks at its
  // line, none of which may have been interrupted.
  for (const auto& [setting, is_cached] : {std::pair("16k", true), std::pair("500", false)}) {
    Node node(Settings{{"SHM_CACHED", "500"}, {"SHM_CACHED_NEAR", setting}, {"SHM_LEARN", "0"}});
    bool has_been_cached = false;
    for (int i = 0; i < 50; ++i) has_been_cached |= node.places_of_answered(1000, 300).size() == 1;
    EXPECT_EQ(has_been_cached, is_cached) << setting;
  }
}

TEST(ShmSettings, LearnIsWhetherBuffersAreFilledThroughTheCacheNowAndThen) {
  constexpr int kMessages = 3000;
  for (const auto& [setting, tries] : {std::pair("1", true), std::pair("0", false)}) {
    Node node(Settings{{"SHM_CACHED", "500"}, {"SHM_LEARN", setting}});
    int tried = 0;
    int different = 0;
    Places there;
    for (int i = 0; i < kMessages; ++i) {
      ASSERT_TRUE(node.send(0, 1, 1000));
      node.ends[1]->poll(there);
      ASSERT_TRUE(node.send(1, 0, 1000));
      node.ends[0]->poll(there);
      tried += node.form_of(0, 1, i) == Form::kBufferThroughCache ? 1 : 0;
      different += node.form_of(0, 1, i) != node.form_of(1, 0, i) ? 1 : 0;
    }
    EXPECT_EQ(tried > 0, tries) << setting;
    EXPECT_EQ(different, 0) << "the receiver does not do as the sender does";
  }
}

TEST(ShmSettings, PollBatchIsWhatOnePollTakesOfASender) {
  for (const int batch : {2, 5}) {
    Node node(Settings{{"SHM_POLL_BATCH", std::to_string(batch)}});
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(node.send(0, 1, 300));
    Places there;
    node.ends[1]->poll(there);
    EXPECT_EQ(there.packets, batch);
  }
}

TEST(ShmSettings, FullConnectionsAreOpenedAtTheStart) {
  const auto open_to = [](const Node& node, std::uint32_t rank) {
    return node.segment->incoming(LocalRank(rank))[0].load();
  };
  const Node full(Settings{{"SHM_FULL_CONNECTIONS", "1"}});
  EXPECT_EQ(open_to(full, 0), 0b110U);
  EXPECT_EQ(open_to(full, 1), 0b101U);
  EXPECT_EQ(open_to(full, 2), 0b011U);
  Node lazy(Settings{});
  for (std::uint32_t rank = 0; rank < Node::kRanks; ++rank) EXPECT_EQ(open_to(lazy, rank), 0U);
  ASSERT_TRUE(lazy.send(0, 1, 8));
  EXPECT_EQ(open_to(lazy, 1), 0b001U);
  EXPECT_EQ(open_to(lazy, 2), 0U);
}

TEST(ShmSettings, CopyPieceIsWhatOneEndCopiesAtATime) {
  EXPECT_EQ(Node(Settings{{"SHM_COPY_PIECE", "16k"}}).pieces_of(1 << 20), 64);
  EXPECT_EQ(Node(Settings{{"SHM_COPY_PIECE", "128k"}}).pieces_of(1 << 20), 8);
  EXPECT_EQ(Node(Settings{}).pieces_of(32 * 1024), 1) << "it is not shared";
  EXPECT_EQ(Node(Settings{}).pieces_of(64 * 1024), 2);
}

TEST(ShmSettings, SingleCopyIsPermittedOnlyWhereItIsWanted) {
  for (const bool wanted : {true, false}) {
    Node node(Settings{{"SHM_SINGLE_COPY", wanted ? "1" : "0"}});
    EXPECT_EQ(node.ends[1]->single_copy()->permitted(address_of(LocalRank(0))), wanted);
  }
}

TEST(ShmSettings, ArenaIsTheAddressSpaceForCollectives) {
  EXPECT_EQ(Node(Settings{{"SHM_ARENA", "8m"}}).segment->header().geometry.arena_bytes, 8U << 20);
}

}  // namespace
}  // namespace starling::transport::shm
