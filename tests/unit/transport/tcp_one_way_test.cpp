// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Two ranks of which only one can call the other, as behind a firewall. The one whose calls are dropped calls a
// listener with a full queue, which the system of the caller does not hear of; the one whose calls are refused calls a
// closed port.
#include <sys/socket.h>

#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

/// Calls to it are dropped.
class FullQueue {
 public:
  FullQueue() : queue_(open()), first_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_EQ(::listen(queue_.descriptor(), 0), 0);  // a place for one
    const SocketAddress at = queue_.address();
    EXPECT_EQ(::connect(first_.get(), at.data(), at.bytes()), 0);
  }
  [[nodiscard]] SocketAddress address() const { return queue_.address(); }

 private:
  static Listener open() { return Listener::open(SocketAddress::loopback(), {}).value(); }

  Listener queue_;
  Descriptor first_;
};

SocketAddress closed_port() { return Listener::open(SocketAddress::loopback(), {}).value().address(); }

class OneWay : public testing::Test {
 protected:
  /// Calls of this rank to the other go to an address that is not the other's.
  void close_way_of(std::int32_t rank, const SocketAddress& instead) {
    const auto index = static_cast<std::size_t>(rank);
    nodes.ends[index].reset();
    nodes.listeners[index] = Listener::open(SocketAddress::loopback(), {}).value();
    nodes.roster.ranks[index] = {nodes.listeners[index].address()};
    wrong = nodes.roster;
    wrong.ranks[1 - index] = {instead};
    auto made = TcpTransport::create({wrong, std::span(&nodes.listeners[index], 1)}, nodes.settings, WorldRank(rank),
                                     PeerId(TcpInbox::kFirstPeer));
    ASSERT_TRUE(made.ok()) << made.status().message();
    nodes.ends[index] = std::move(made).value();
  }
  /// Until what both send arrives; the first of them begins and cannot call.
  void exchange(std::int32_t first) {
    EXPECT_FALSE(nodes.try_send(first, 1 - first, 1));
    for (int i = 0; i < 100; ++i) nodes.end(first).poll(nodes.inbox(first));
    ASSERT_TRUE(nodes.poll_until([&] { return nodes.try_send(1 - first, first, 2); })) << said_by(1 - first);
    ASSERT_TRUE(nodes.poll_until([&] { return nodes.try_send(first, 1 - first, 1); })) << said_by(first);
    ASSERT_TRUE(nodes.await(first, 1));
    ASSERT_TRUE(nodes.await(1 - first, 1));
    for (const std::int32_t rank : {0, 1}) EXPECT_EQ(nodes.end(rank).strangers(), 0U);
  }
  std::string said_by(std::int32_t rank) { return nodes.end(rank).take_failure().message(); }

  TcpNodes nodes{2};
  ListedRoster wrong;
};

TEST_F(OneWay, ACallThatIsDroppedGivesWayToTheOthers) {
  const FullQueue full;
  close_way_of(0, full.address());
  exchange(0);
}

TEST_F(OneWay, ACallThatIsDroppedDoesNotKeepTheLowerRanksFromBeingAnswered) {
  const FullQueue full;
  close_way_of(1, full.address());
  exchange(1);
}

TEST_F(OneWay, ALowerRankWhoseCallIsRefusedIsCalled) {
  close_way_of(0, closed_port());
  exchange(0);
}

TEST_F(OneWay, AHigherRankWhoseCallIsRefusedIsCalled) {
  close_way_of(1, closed_port());
  exchange(1);
}

TEST_F(OneWay, ARankThatHasGivenWayToAStrangerCallsAgain) {
  const FullQueue full;
  close_way_of(0, full.address());
  RawCaller stranger(nodes.roster, 1, 0);
  EXPECT_FALSE(nodes.try_send(0, 1, 1));
  ASSERT_TRUE(send_message(stranger.socket.get(), stranger.hello));
  Answer answer;
  ASSERT_TRUE(stranger.read(nodes, answer));
  wrong.ranks[1] = nodes.roster.ranks[1];  // the way is open now
  stranger.socket.reset();
  EXPECT_TRUE(nodes.poll_until([&] { return nodes.try_send(0, 1, 1); })) << said_by(0);
}

}  // namespace
}  // namespace starling::transport::tcp
