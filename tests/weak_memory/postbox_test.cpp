// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The ring of postboxes between two ranks (transport/shm/postbox.hpp): what comes is what was sent, in its order, and
// no postbox and no buffer is filled while it is still read.
#include <algorithm>
#include <array>
#include <cstring>

#include "transport/shm/incoming.hpp"
#include "transport/shm/outgoing.hpp"
#include "weak_memory/node.hpp"

namespace starling::weak::postbox_test {
namespace {

using transport::Packet;
using transport::PacketHeader;
using transport::shm::Form;
using transport::shm::Incoming;
using transport::shm::Outgoing;
using transport::shm::Postbox;

constexpr LocalRank kFirst(0);
constexpr LocalRank kSecond(1);

/// How a payload travels.
enum class Way { kInPostbox, kInTwoPostboxes, kInBuffer };

using Payload = std::array<std::uint8_t, 64>;

std::size_t bytes_of(Way way) { return way == Way::kInPostbox ? 8 : way == Way::kInTwoPostboxes ? 60 : 64; }

/// Takes packets, each filled with its number.
struct Taken final : transport::Sink {
  void on_packet(PeerId /*peer*/, const Packet& packet) override {
    ++number;
    require(packet.header.tag == number, "the packets come in their order");
    Payload payload{};
    std::memcpy(payload.data(), packet.payload.data(), packet.payload.size());
    for (std::size_t i = 0; i < packet.payload.size(); ++i)
      require(payload[i] == number, "the payload is the packet's");
  }
  int number = 0;
};

/// A rank's ends of both directions.
struct End {
  End(Node& node, LocalRank self, LocalRank other) : segment(*node.segment), self_rank(self), other_rank(other) {
    EXPECT_TRUE(out.open(segment, other, self, nullptr).ok());
  }

  void send(Way way) {
    ++sent;
    Payload payload{};
    for (std::size_t i = 0; i < bytes_of(way); ++i) payload[i] = static_cast<std::uint8_t>(sent);
    const std::uint32_t postboxes = way == Way::kInTwoPostboxes ? 2 : 1;
    Postbox* box = out.next(postboxes);
    for (; box == nullptr; box = out.next(postboxes)) look_again();
    Form form = Form::kInline;
    if (way == Way::kInPostbox) std::memcpy(box->data, payload.data(), bytes_of(way));
    if (way == Way::kInTwoPostboxes) out.put_inline(*box, reinterpret_cast<std::byte*>(payload.data()), bytes_of(way));
    if (way == Way::kInBuffer) {
      form = Form::kBuffer;
      fill_buffer(*box, payload);
    }
    out.publish(*box, PacketHeader{0, 0, 0, sent, 0}, form, bytes_of(way), postboxes, fences());
  }
  void fill_buffer(Postbox& box, const Payload& payload) {
    out.in_burst();
    Status failure;
    std::uint64_t offset = 0;
    std::byte* buffer = out.buffer(payload.size(), transport::shm::Filling::kThroughCache, &offset, &failure);
    std::memcpy(buffer, payload.data(), payload.size());
    box.far.words[0] = box.far.words[1] = 0;
    box.far.offset = offset;
  }
  void take_until(int number) {
    while (taken.number < number) {
      if (!in.poll(taken, 64, fences())) look_again();
    }
  }
  [[nodiscard]] bool fences() const { return segment.header().sender_fences != 0; }

  const memory::JobSegment& segment;
  LocalRank self_rank;
  LocalRank other_rank;
  Outgoing out;
  Incoming in{segment, self_rank, other_rank, PeerId(other_rank.value), out};
  Taken taken;
  int sent = 0;
};

/// So many packets one way.
Model one_way(Node& node, int packets, Way way) {
  return [&node, packets, way](Execution& execution) {
    node.share(execution);
    node.share_connection(execution, kSecond, kFirst);
    End& sender = execution.make<End>(node, kFirst, kSecond);
    End& receiver = execution.make<End>(node, kSecond, kFirst);
    execution.thread("sender", [&sender, packets, way] {
      for (int i = 0; i < packets; ++i) sender.send(way);
    });
    execution.thread("receiver", [&receiver, packets] { receiver.take_until(packets); });
  };
}

/// The two answer each other. What a packet reports of the other direction is all that its receiver knows of it.
Model to_and_fro(Node& node, int rounds) {
  return [&node, rounds](Execution& execution) {
    node.share(execution);
    node.share_connection(execution, kSecond, kFirst);
    node.share_connection(execution, kFirst, kSecond);
    End& first = execution.make<End>(node, kFirst, kSecond);
    End& second = execution.make<End>(node, kSecond, kFirst);
    execution.thread("first", [&first, rounds] {
      for (int i = 1; i <= rounds; ++i) {
        first.send(Way::kInBuffer);
        first.take_until(i);
      }
    });
    execution.thread("second", [&second, rounds] {
      for (int i = 1; i <= rounds; ++i) {
        second.take_until(i);
        second.send(Way::kInPostbox);
      }
    });
  };
}

TEST(Postboxes, CarryMorePacketsThanTheRingHolds) {
  Node node(2);
  expect_right(one_way(node, 5, Way::kInPostbox));
}

TEST(LongPostboxes, CarryMorePacketsThanTheRingHolds) {
  Node node(2);
  expect_right(one_way(node, 6, Way::kInPostbox));
}

TEST(Postboxes, CarryPayloadsThatSpanTwo) {
  Node node(2);
  expect_right(one_way(node, 4, Way::kInTwoPostboxes));
}

TEST(Postboxes, LendBuffersThatAreFilledAgain) {
  Node node(2);
  EXPECT_EQ(explore(one_way(node, 5, Way::kInBuffer)).wrong, "");
}

TEST(LongPostboxes, LendBuffersThatAreFilledAgain) {
  Node node(2);
  expect_right(one_way(node, 5, Way::kInBuffer));
}

TEST(Postboxes, ReportWhatWasTakenOfTheOtherDirection) {
  Node node(2);
  expect_right(to_and_fro(node, 3));
}

}  // namespace
}  // namespace starling::weak::postbox_test
