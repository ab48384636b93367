// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Who is let in, and that strangers disturb nobody.
#include "transport/tcp/handshake.hpp"
#include "unit/transport/tcp_nodes.hpp"

namespace starling::transport::tcp {
namespace {

/// A rank's messages go both ways before and after whatever strangers do.
class Strangers : public testing::Test {
 protected:
  void SetUp() override { exchange(); }
  void TearDown() override { exchange(); }
  void exchange() {
    nodes.send(0, 1, 1, 8);
    nodes.send(1, 0, 2, 8);
    nodes.send(2, 1, 3, 8);
    ASSERT_TRUE(nodes.await(1, 2));
    ASSERT_TRUE(nodes.await(0, 1));
    for (const int rank : {0, 1}) nodes.inbox(rank).messages.clear();
  }

  TcpNodes nodes{4};
};

TEST(TcpHandshake, AProofServesOneRankOneSideAndOneNonce) {
  ListedRoster roster;
  roster.job = 5;
  roster.ranks.resize(3);
  ListedRoster other = roster;
  other.secret[31] = std::byte{1};
  Handshake caller(roster, WorldRank(0));
  Handshake called(roster, WorldRank(1));
  Handshake stranger(other, WorldRank(1));
  const Hello hello = caller.hello(WorldRank(1)).value();
  EXPECT_TRUE(called.is_right(hello));
  EXPECT_FALSE(Handshake(roster, WorldRank(2)).is_right(hello));
  const Answer answer = called.answer(hello).value();
  EXPECT_TRUE(caller.is_right(hello, answer));
  EXPECT_FALSE(caller.is_right(hello, stranger.answer(hello).value()));
  EXPECT_FALSE(caller.is_right(caller.hello(WorldRank(1)).value(), answer));
  EXPECT_TRUE(called.is_right(hello, answer.nonce, caller.confirmation(hello, answer.nonce)));
  EXPECT_FALSE(called.is_right(hello, answer.nonce, {answer.proof}));
  EXPECT_FALSE(called.is_right(hello, Nonce{}, caller.confirmation(hello, answer.nonce)));
}

TEST(TcpHandshake, TheProofIsHmacSha256) {
  // RFC 4231, test case 1 has a key of 20 bytes; HMAC fills a key with zeros.
  Secret secret{};
  for (std::size_t i = 0; i < 20; ++i) secret[i] = std::byte{0x0b};
  const char text[] = {'H', 'i', ' ', 'T', 'h', 'e', 'r', 'e'};
  const Proof proof = Proofs::load().value().of(secret, std::as_bytes(std::span(text)));
  EXPECT_EQ(proof[0], std::byte{0xb0});
  EXPECT_EQ(proof[1], std::byte{0x34});
  EXPECT_EQ(proof[31], std::byte{0xf7});
}

/// Rank 1 differs in what all need alike, and the caller sends; what each end says. settings: of rank 1.
std::pair<std::string, std::string> parting_of(const Alike& different, std::int32_t caller,
                                               const std::string& settings = {}) {
  TcpNodes nodes(2);
  nodes.roster.hosts = {"a", "b"};
  nodes.ends[1].reset();
  nodes.listeners[1] = Listener::open(SocketAddress::loopback(), {}).value();
  nodes.roster.ranks[1] = {nodes.listeners[1].address()};
  ListedRoster roster = nodes.roster;
  roster.alike = different;
  roster.settings = settings;
  nodes.ends[1] = TcpTransport::create({roster, std::span(&nodes.listeners[1], 1)}, nodes.settings, WorldRank(1),
                                       PeerId(TcpInbox::kFirstPeer))
                      .value();
  std::string said[2];
  EXPECT_FALSE(nodes.try_send(caller, 1 - caller, 1));
  EXPECT_TRUE(nodes.poll_until([&] {
    for (const std::int32_t rank : {caller, 1 - caller}) {
      // The one that is called only looks: by a call of its own it would cross the caller's.
      if (rank != caller && said[caller].empty()) continue;
      EXPECT_FALSE(nodes.try_send(rank, 1 - rank, 1));
      std::string& own = said[rank];
      if (own.empty()) own = nodes.end(rank).take_failure().message();
    }
    return !said[0].empty() && !said[1].empty();
  }));
  nodes.ends[1].reset();
  return {said[0], said[1]};
}

TEST(TcpHandshake, RanksOfDifferentBuildsOrSettingsPartWithASentence) {
  for (const std::int32_t caller : {0, 1}) {
    const auto [here, there] = parting_of({1, 0}, caller);
    EXPECT_NE(here.find("rank 0 on a and rank 1 on b"), std::string::npos) << here;
    EXPECT_NE(there.find("rank 1 on b and rank 0 on a"), std::string::npos) << there;
    for (const std::string& said : {here, there}) EXPECT_NE(said.find("libmpi_abi.so.1"), std::string::npos) << said;
    const auto [same, other] = parting_of({0, 1}, caller);
    for (const std::string& said : {same, other}) EXPECT_NE(said.find("settings"), std::string::npos) << said;
  }
}

TEST(TcpHandshake, ASettingThatDiffersIsNamedByBothEnds) {
  for (const std::int32_t caller : {0, 1}) {
    const auto [here, there] = parting_of({0, 1}, caller, "COLL_BCAST=chain\nREPRODUCIBLE=1\n");
    EXPECT_NE(here.find("STARLING_COLL_BCAST is as by default on rank 0 on a, and 'chain' on rank 1 on b"),
              std::string::npos)
        << here;
    EXPECT_NE(there.find("STARLING_COLL_BCAST is 'chain' on rank 1 on b, and as by default on rank 0 on a"),
              std::string::npos)
        << there;
    // What does not fit is not guessed.
    const auto [one, other] = parting_of({0, 1}, caller, std::string(200, 'x') + "=y\n");
    EXPECT_EQ(one.find("STARLING_x"), std::string::npos) << one;
  }
}

TEST_F(Strangers, ARankOfTheJobIsLetIn) {
  RawCaller caller(nodes.roster, 3, 1);
  EXPECT_TRUE(caller.join(nodes));
  EXPECT_EQ(nodes.end(1).strangers(), 0U);
  EXPECT_EQ(nodes.end(1).warning(), "");
}

TEST_F(Strangers, AWrongSecretIsTurnedAwayAfterTheConfirmation) {
  ListedRoster wrong = nodes.roster;
  wrong.secret[0] ^= std::byte{1};
  RawCaller caller(wrong, 3, 1);
  Answer answer;
  ASSERT_TRUE(send_message(caller.socket.get(), caller.hello));
  ASSERT_TRUE(caller.read(nodes, answer));
  EXPECT_FALSE(caller.handshake.is_right(caller.hello, answer));
  ASSERT_TRUE(send_message(caller.socket.get(), caller.handshake.confirmation(caller.hello, answer.nonce)));
  EXPECT_TRUE(caller.is_turned_away(nodes));
  EXPECT_EQ(nodes.end(1).strangers(), 1U);
}

TEST_F(Strangers, GarbageGetsNoAnswer) {
  for (int kind = 0; kind < 4; ++kind) {
    RawCaller caller(nodes.roster, 3, 1);
    if (kind == 0) caller.hello.magic = 0;
    if (kind == 1) caller.hello.job += 1;
    if (kind == 2) caller.hello.from = WorldRank(4);
    if (kind == 3) caller.hello.to = WorldRank(0);
    ASSERT_TRUE(send_message(caller.socket.get(), caller.hello));
    EXPECT_TRUE(caller.is_turned_away(nodes)) << kind;
  }
  EXPECT_EQ(nodes.end(1).strangers(), 4U);
  EXPECT_NE(nodes.end(1).warning().find("rank 1 has closed 4 connections"), std::string::npos);
}

TEST_F(Strangers, ATruncatedHelloIsTurnedAwayAfterItsTime) {
  RawCaller caller(nodes.roster, 3, 1);
  const std::int64_t start = now_ns();
  ASSERT_TRUE(send_bytes(caller.socket.get(), std::as_bytes(std::span(&caller.hello, 1)).first(47)));
  EXPECT_TRUE(caller.is_turned_away(nodes));
  EXPECT_GE(now_ns() - start, 1'500'000'000);
  EXPECT_LT(now_ns() - start, 10'000'000'000);
}

TEST_F(Strangers, AReplayOfAnotherConnectionIsTurnedAway) {
  RawCaller right(nodes.roster, 3, 1);
  Answer answer;
  ASSERT_TRUE(send_message(right.socket.get(), right.hello));
  ASSERT_TRUE(right.read(nodes, answer));
  const Confirmation heard = right.handshake.confirmation(right.hello, answer.nonce);
  right.socket.reset();
  RawCaller replay(nodes.roster, 3, 1);
  ASSERT_TRUE(send_message(replay.socket.get(), right.hello));
  ASSERT_TRUE(replay.read(nodes, answer));
  ASSERT_TRUE(send_message(replay.socket.get(), heard));
  EXPECT_TRUE(replay.is_turned_away(nodes));
}

TEST_F(Strangers, AFloodOfSilentOnesLetsRanksPass) {
  std::vector<std::unique_ptr<RawCaller>> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(std::make_unique<RawCaller>(nodes.roster, 3, 1));
  const std::int64_t start = now_ns();
  nodes.send(1, 0, 4, 8);
  RawCaller rank(nodes.roster, 3, 1);
  EXPECT_TRUE(rank.join(nodes));
  EXPECT_LT(now_ns() - start, 5'000'000'000);
  ASSERT_TRUE(nodes.await(0, 1));
  nodes.inbox(0).messages.clear();
}

}  // namespace
}  // namespace starling::transport::tcp
