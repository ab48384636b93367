// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Frames that arrive in parts.
#include <poll.h>
#include <sys/socket.h>

#include <random>

#include "transport/tcp/incoming.hpp"
#include "transport/tcp/outgoing.hpp"
#include "transport/tcp/socket_state.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

struct Frames final : FrameSink {
  void on_frame(const Frame& frame, std::span<const std::byte> payload, bool placed) override {
    EXPECT_EQ(frame.tag, next++);
    EXPECT_FALSE(placed && place.empty());
    EXPECT_EQ(frame.bytes, payload.size());
    if (frame.tag == withdrawn_at) {
      EXPECT_TRUE(placed);
      EXPECT_NE(payload.data(), place.data());
      return;
    }
    for (const std::byte byte : payload) ASSERT_EQ(byte, static_cast<std::byte>(frame.tag));
    EXPECT_TRUE(!placed || payload.data() == place.data());
    if (placed) ++put;
  }
  std::byte* destination(const Frame& frame) override {
    if (frame.tag == withdrawn_at && asked++ != 0) return nullptr;
    return place.empty() ? nullptr : place.data();
  }
  std::int32_t next = 0;
  std::vector<std::byte> place;  ///< for payloads that arrive in parts
  int put = 0;
  std::int32_t withdrawn_at = -1;  ///< its place is given once and then withdrawn
  int asked = 0;
};

class SocketPair {
 public:
  SocketPair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    here = Descriptor(ends[0]);
    there = Descriptor(ends[1]);
  }
  Descriptor here;
  Descriptor there;
};

/// Two ends of a TCP connection.
SocketPair over_tcp() {
  SocketPair pair;
  const auto listener = Listener::open(SocketAddress::loopback(), {});
  EXPECT_TRUE(listener.ok());
  pair.here = Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress at = listener.value().address();
  EXPECT_EQ(connect(pair.here.get(), at.data(), at.bytes()), 0);
  pair.there = Descriptor(accept4(listener.value().descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  return pair;
}

TEST(TcpOutgoing, BeginsNoLongPayloadWithoutRoom) {
  SocketPair pair = over_tcp();
  constexpr std::size_t kLong = 200'000;
  const std::vector<std::byte> payload(kLong);
  Frame frame;
  frame.bytes = kLong;
  Outgoing outgoing;
  int sent = 0;
  for (; outgoing.has_room(pair.here.get(), kLong) && !outgoing.is_stuck(); ++sent)
    outgoing.send(pair.here.get(), frame, payload.data());
  EXPECT_GT(sent, 0);
  EXPECT_TRUE(outgoing.is_stuck());
  EXPECT_TRUE(outgoing.has_room(pair.here.get(), 8));  // a short one is copied if need be
  // The system tells when there is room again.
  std::vector<std::byte> memory(1'000'000);
  pollfd watched{pair.here.get(), POLLOUT, 0};
  while (::poll(&watched, 1, 0) == 0) ASSERT_GT(recv(pair.there.get(), memory.data(), memory.size(), 0), 0);
  outgoing.write(pair.here.get());
  EXPECT_FALSE(outgoing.is_stuck());
  EXPECT_TRUE(outgoing.has_room(pair.here.get(), kLong));
}

TEST(TcpOutgoing, TakesOfALongPayloadWhatTheSocketTakesAndKeepsNothing) {
  SocketPair pair = over_tcp();
  std::vector<std::byte> payload(16'000'000);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::byte>(i * 7 >> 3);
  Outgoing outgoing;
  Frame frame;
  frame.bytes = static_cast<std::uint32_t>(payload.size());
  std::size_t taken = outgoing.begin(pair.here.get(), frame, payload.data());
  ASSERT_LT(taken, payload.size());
  std::vector<std::byte> got;
  std::vector<std::byte> read(1'000'000);
  while (got.size() != sizeof(PaddedFrame) + payload.size()) {
    EXPECT_EQ(outgoing.owes(), taken != payload.size());
    EXPECT_EQ(outgoing.is_stuck(), outgoing.owes());
    EXPECT_EQ(outgoing.kept_bytes(), 0U);
    EXPECT_EQ(outgoing.kept_frames(), outgoing.owes() ? 1U : 0U);
    const ssize_t now = recv(pair.there.get(), read.data(), read.size(), 0);
    ASSERT_GT(now, 0);
    got.insert(got.end(), read.begin(), read.begin() + now);
    if (outgoing.owes()) taken += outgoing.go_on(pair.here.get(), payload.data() + taken, payload.size() - taken);
  }
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), got.begin() + sizeof(PaddedFrame)));
}

std::vector<std::byte> some_frames(std::mt19937_64& random, std::int32_t count) {
  std::vector<std::byte> bytes;
  for (std::int32_t tag = 0; tag < count; ++tag) {
    Frame frame;
    frame.tag = tag;
    frame.bytes = static_cast<std::uint32_t>(random() % (random() % 5 == 0 ? 3000 : 20));
    frame.pad = static_cast<std::uint8_t>(random() % 3 == 0 ? random() % 256 : 0);
    const auto header = std::as_bytes(std::span(&frame, 1));
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), frame.pad, std::byte{});
    bytes.insert(bytes.end(), frame.bytes, static_cast<std::byte>(tag));
  }
  return bytes;
}

TEST(TcpIncoming, HandsOnEachFrameOnceHoweverItIsCut) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (const std::size_t longest : {1UL, 7UL, 41UL, 5000UL}) {
    const std::vector<std::byte> bytes = some_frames(random, 60);
    SocketPair sockets;
    Incoming incoming(4096);
    std::vector<std::byte> staging(512);
    Frames frames;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = std::min(1 + random() % longest, bytes.size() - at);
      ASSERT_EQ(send(sockets.there.get(), bytes.data() + at, piece, 0), static_cast<ssize_t>(piece));
      at += piece;
      while (incoming.receive(sockets.here.get(), staging, frames) == Incoming::Outcome::kSome) {
      }
    }
    EXPECT_EQ(frames.next, 60) << longest;
    sockets.there.reset();
    EXPECT_EQ(incoming.receive(sockets.here.get(), staging, frames), Incoming::Outcome::kEnded);
    EXPECT_EQ(incoming.why(), 0);
  }
}

TEST(TcpIncoming, PutsLongPayloadsWhereTheSinkHasAPlaceUntilItIsWithdrawn) {
  std::vector<std::byte> bytes;
  for (std::int32_t tag = 0; tag < 3; ++tag) {
    Frame frame;
    frame.tag = tag;
    frame.bytes = 3000;
    const auto header = std::as_bytes(std::span(&frame, 1));
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), frame.bytes, static_cast<std::byte>(tag));
  }
  SocketPair sockets;
  ASSERT_EQ(send(sockets.there.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  Incoming incoming(4096);
  std::vector<std::byte> staging(512);
  Frames frames;
  frames.place.resize(3000);
  frames.withdrawn_at = 1;
  while (incoming.receive(sockets.here.get(), staging, frames) == Incoming::Outcome::kSome) {
  }
  EXPECT_EQ(frames.next, 3);
  EXPECT_EQ(frames.put, 2);
}

TEST(TcpIncoming, EndsAtAFrameThatIsTooLong) {
  SocketPair sockets;
  Frame frame;
  frame.bytes = 4097;
  ASSERT_TRUE(send_message(sockets.there.get(), frame));
  Incoming incoming(4096);
  std::vector<std::byte> staging(512);
  Frames frames;
  EXPECT_EQ(incoming.receive(sockets.here.get(), staging, frames), Incoming::Outcome::kEnded);
  EXPECT_EQ(incoming.why(), EPROTO);
}

TEST(TcpOutgoing, KeepsWhatTheSocketDoesNotTakeAndGivesItsMemoryBack) {
  SocketPair sockets;
  Outgoing outgoing;
  Incoming incoming(100'000);
  std::vector<std::byte> staging(1000);
  Frames frames;
  std::int32_t tag = 0;
  for (; !outgoing.is_stuck(); ++tag) {
    Frame frame;
    frame.tag = tag;
    frame.bytes = 90'001;
    const std::vector<std::byte> payload(frame.bytes, static_cast<std::byte>(tag));
    outgoing.send(sockets.there.get(), frame, payload.data());
  }
  EXPECT_EQ(outgoing.kept_frames(), 1U);
  EXPECT_LE(outgoing.kept_bytes(), sizeof(PaddedFrame) + 90'001);
  while (outgoing.is_stuck()) {
    while (incoming.receive(sockets.here.get(), staging, frames) == Incoming::Outcome::kSome) {
    }
    outgoing.write(sockets.there.get());
  }
  while (incoming.receive(sockets.here.get(), staging, frames) == Incoming::Outcome::kSome) {
  }
  EXPECT_EQ(frames.next, tag);
  EXPECT_EQ(outgoing.kept_bytes(), 0U);
  sockets.here.reset();
  outgoing.send(sockets.there.get(), Frame(), nullptr);
  EXPECT_TRUE(outgoing.is_broken());
}

TEST(TcpFrame, TellsHeldBytesExactlyOrRoundsThemUp) {
  for (const std::uint64_t bytes : {0UL, 1UL, 0x7fffffffUL}) EXPECT_EQ(unpacked_held(packed_held(bytes)), bytes);
  EXPECT_EQ(unpacked_held(packed_held(0x80000001UL)), 0x80001000UL);
  EXPECT_GT(unpacked_held(packed_held(UINT64_MAX - 5000)), 1UL << 42);
}

}  // namespace
}  // namespace starling::transport::tcp
