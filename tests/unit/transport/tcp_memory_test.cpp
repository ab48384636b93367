// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a connected peer costs the two processes, in bytes that the allocator counts.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>

#include "support/sanitized.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

constexpr std::int32_t kPeers = 64;
constexpr std::int64_t kBudget = 10'000;  ///< for each connected peer

std::int64_t allocated_bytes() {
  const struct mallinfo2 about = mallinfo2();
  return static_cast<std::int64_t>(about.uordblks + about.hblkhd);
}

/// Takes packets and keeps nothing.
struct CountingInbox final : Sink {
  void on_packet(PeerId /*peer*/, const Packet& /*packet*/) override { ++packets; }
  void on_lost(PeerId /*peer*/, LostBy /*by*/, const Status& why) override { ADD_FAILURE() << why.message(); }
  std::size_t packets = 0;
};

class TcpMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (kUnderSanitizer) GTEST_SKIP() << "a sanitizer has its own allocator, which counts otherwise";
  }
  /// Rank 0 exchanges packets with all others.
  void exchange(const std::vector<std::byte>& payload, std::size_t packets) {
    for (std::int32_t peer = 1; peer <= kPeers; ++peer) {
      for (std::size_t packet = 0; packet < packets; ++packet) {
        send(0, peer, payload);
        send(peer, 0, payload);
      }
    }
    expected_ += packets;
    while (inboxes_[0].packets < kPeers * expected_ || inboxes_[kPeers].packets < expected_ || !are_flushed()) poll();
  }
  std::int64_t bytes_of_a_peer() const {
    return (allocated_bytes() - before_) / kPeers / 2;  // both ends are here
  }

  TcpNodes nodes_{kPeers + 1};
  std::int64_t before_ = allocated_bytes();

 private:
  void send(std::int32_t from, std::int32_t to, const std::vector<std::byte>& payload) {
    while (!nodes_.end(from).try_send(Address(to), {}, payload.data(), payload.size())) poll();
  }
  void poll() {
    for (std::int32_t rank = 0; rank <= kPeers; ++rank) nodes_.end(rank).poll(inboxes_[static_cast<std::size_t>(rank)]);
  }
  bool are_flushed() {
    bool all = true;
    for (std::int32_t rank = 0; rank <= kPeers; ++rank) all &= nodes_.end(rank).flush();
    return all;
  }

  std::array<CountingInbox, kPeers + 1> inboxes_;
  std::size_t expected_ = 0;
};

TEST_F(TcpMemory, OfAConnectionIsSmallAfterShortPackets) {
  exchange(std::vector<std::byte>(8), 100);
  RecordProperty("bytes", std::to_string(bytes_of_a_peer()));
  EXPECT_LE(bytes_of_a_peer(), kBudget);
}

TEST_F(TcpMemory, OfAConnectionIsSmallAgainAfterLongPackets) {
  exchange(std::vector<std::byte>(8), 1);
  exchange(std::vector<std::byte>(TcpTransport::kMaxPayload), 3);
  exchange(std::vector<std::byte>(4000), 20);
  RecordProperty("bytes", std::to_string(bytes_of_a_peer()));
  EXPECT_LE(bytes_of_a_peer(), kBudget);
}

}  // namespace
}  // namespace starling::transport::tcp
