// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Frames whose completions a provider reports in any order.
#include <gtest/gtest.h>

#include <cstring>
#include <list>

#include "transport/ofi/arrivals.hpp"
#include "unit/transport/no_fabric.hpp"

namespace starling::transport::ofi {
namespace {

struct Nowhere final : Sink {
  void on_packet(PeerId /*peer*/, const Packet& /*packet*/) override {}
};

class OfiArrivals : public testing::Test, protected Arrivals::Host {
 protected:
  static constexpr std::uint32_t kToken = 99;

  OfiArrivals() {
    for (const int rank : {1, 2}) peers[Address(rank)].state = OfiPeer::State::kJoined;
  }
  void on_frame(OfiPeer& peer, const Frame& frame, std::span<const std::byte> payload, Sink& /*sink*/) override {
    EXPECT_EQ(frame.number, static_cast<std::uint32_t>(++peer.received));
    EXPECT_EQ(payload.size(), 1U);
    EXPECT_EQ(payload.front(), static_cast<std::byte>(frame.number));
    got.push_back(peer.address.value * 100 + static_cast<std::int32_t>(frame.number));
  }
  void come(std::int32_t from, std::uint32_t number, std::uint32_t with = kToken) {
    Frame frame;
    frame.from = from;
    frame.number = number;
    frame.token = with;
    auto& memory = memories.emplace_back(sizeof frame + 1);
    std::memcpy(memory.data(), &frame, sizeof frame);
    memory.back() = static_cast<std::byte>(number);
    Buffer& buffer = buffers.emplace_back();
    buffer.data = memory.data();
    buffer.bytes = memory.size();
    arrivals.add(buffer);
  }

  NoFabric fabric;
  OfiPeers peers{PeerId(0), 4};
  std::uint32_t token = kToken;
  Arrivals arrivals{fabric, peers, token, *this};
  Nowhere nowhere;
  std::list<std::vector<std::byte>> memories;
  std::list<Buffer> buffers;
  std::vector<std::int32_t> got;
};

TEST_F(OfiArrivals, AreDeliveredInTheOrderOfTheirNumbers) {
  for (const std::uint32_t number : {3U, 2U, 5U}) come(1, number);
  arrivals.deliver(nowhere);
  EXPECT_TRUE(got.empty());
  come(2, 1);
  come(1, 1);
  come(1, 2);  // once more
  come(1, 4);
  arrivals.deliver(nowhere);
  EXPECT_EQ(got, (std::vector<std::int32_t>{201, 101, 102, 103, 104, 105}));
}

TEST_F(OfiArrivals, GoOnWhereTheNumbersBeginAnew) {
  peers[Address(1)].received = 0xffffffff;
  come(1, 1);
  come(1, 0);
  arrivals.deliver(nowhere);
  EXPECT_EQ(got, (std::vector<std::int32_t>{100, 101}));
}

TEST_F(OfiArrivals, OfStrangersAreDroppedAndCounted) {
  come(1, 1, kToken + 1);
  come(3, 1);  // of whom nothing is known
  come(4, 1);  // no rank
  come(-1, 1);
  arrivals.deliver(nowhere);
  EXPECT_EQ(arrivals.strangers(), 4U);
  EXPECT_TRUE(got.empty());
}

TEST_F(OfiArrivals, OfOnePeerLeaveThoseOfOthers) {
  come(1, 1);
  come(2, 1);
  come(1, 2);
  arrivals.deliver_from(Address(1), nowhere);
  EXPECT_EQ(got, (std::vector<std::int32_t>{101, 102}));
  EXPECT_FALSE(arrivals.empty());
  arrivals.deliver(nowhere);
  EXPECT_EQ(got.back(), 201);
}

TEST_F(OfiArrivals, ABufferThatTheProviderDoesNotTakeIsGivenToItAgain) {
  fabric.takes = false;
  come(1, 1);
  arrivals.deliver(nowhere);
  EXPECT_TRUE(arrivals.is_short());
  arrivals.try_again();
  EXPECT_TRUE(arrivals.is_short());
  fabric.takes = true;
  arrivals.try_again();
  EXPECT_FALSE(arrivals.is_short());
}

}  // namespace
}  // namespace starling::transport::ofi
