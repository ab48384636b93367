// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Packets over libfabric, by ranks that take turns in one thread.
#include "transport/ofi/ofi_transport.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <memory>
#include <random>
#include <utility>

#include "datatype/pack/pack.hpp"
#include "support/pattern.hpp"
#include "unit/transport/no_fabric.hpp"
#include "unit/transport/ofi_nodes.hpp"

/// What fi_getinfo keeps for itself.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: the sanitizer's name
extern "C" const char* __lsan_default_suppressions() { return "leak:libfabric.so"; }

namespace starling::transport::ofi {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM};

std::vector<void (*)(int)> handlers() {
  std::vector<void (*)(int)> found;
  for (const int signal : kSignals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    found.push_back(action.sa_handler);
  }
  return found;
}
/// Before any test has loaded the library.
const std::vector<void (*)(int)> kHandlersAtFirst = handlers();

class OfiProvider : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

std::string name_of(const testing::TestParamInfo<const char*>& provider) {
  std::string name = *provider.param != 0 ? provider.param : "default";
  std::ranges::replace_if(
      name, [](char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Each, OfiProvider, testing::Values("", "sockets"), name_of);

/// Providers that may read; sockets always may.
class OfiReads : public OfiProvider {
 protected:
  void SetUp() override {
    OfiProvider::SetUp();
    if (IsSkipped()) return;
    const auto fabric = Fabric::open({GetParam(), 0}, {});
    ASSERT_TRUE(fabric.ok()) << fabric.status().message();
    const std::string provider = static_cast<const char*>(fabric.value()->introduction().provider);
    EXPECT_EQ(fabric.value()->longest_read() == 0, provider == "net") << provider;
    if (fabric.value()->longest_read() == 0) GTEST_SKIP() << provider << " is not let read";
  }
};

INSTANTIATE_TEST_SUITE_P(Each, OfiReads, testing::Values("", "sockets"), name_of);

struct Check final : Sink {
  void on_packet(PeerId peer, const Packet& packet) override {
    EXPECT_EQ(peer.value, OfiNodes::Inbox::kFirstPeer);
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
};

TEST_P(OfiProvider, CarriesHeaderWordsAndPayloadOfAnySize) {
  OfiNodes nodes(2, GetParam());
  for (const std::size_t bytes : {0UL, 1UL, 16UL, 17UL, 777UL, 4096UL, OfiTransport::kMaxPayload}) {
    Check check;
    check.expected.resize(bytes);
    for (std::size_t i = 0; i < bytes; ++i) check.expected[i] = static_cast<std::byte>(i * 7 + bytes);
    ASSERT_TRUE(nodes.poll_until([&] {
      return nodes.end(0).try_send_words(Address(1), {3, 4, 5, -6, 7}, {8, 9}, check.expected.data(), bytes);
    }));
    const std::int64_t until = now_ns() + tcp::TcpNodes::kLongNs;
    while (check.packets == 0 && now_ns() < until) {
      nodes.end(1).poll(check);
      nodes.end(0).poll(nodes.inbox(0));
    }
    EXPECT_EQ(check.packets, 1) << bytes;
  }
}

TEST_P(OfiProvider, KeepsTheOrderAndTheBytesOfAllPeers) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  constexpr std::int32_t kRanks = 4;
  constexpr std::uint64_t kPackets = 400;
  OfiNodes nodes(kRanks, GetParam());
  std::vector<std::vector<std::uint64_t>> sent(kRanks, Words(kRanks));
  std::vector<std::vector<std::uint64_t>> received(kRanks, Words(kRanks));
  const auto take = [&](std::int32_t rank) {
    for (const auto& message : nodes.inbox(rank).messages) {
      std::uint64_t& expected = received[static_cast<std::size_t>(rank)][static_cast<std::size_t>(message.from)];
      ASSERT_EQ(message.word, expected++) << "from " << message.from << " to " << rank;
      ASSERT_TRUE(message.is_whole());
    }
    nodes.inbox(rank).messages.clear();
  };
  const auto all = [&](const auto& counts) {
    for (std::size_t a = 0; a < kRanks; ++a) {
      for (std::size_t b = 0; b < kRanks; ++b) {
        if (a != b && counts[a][b] != kPackets) return false;
      }
    }
    return true;
  };
  ASSERT_TRUE(nodes.poll_until([&] {
    for (std::int32_t from = 0; from < kRanks; ++from) {
      const auto to = static_cast<std::int32_t>(random() % kRanks);
      std::uint64_t& count = sent[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
      for (std::uint64_t burst = random() % 40; from != to && burst != 0 && count < kPackets; --burst) {
        if (!nodes.try_send(from, to, count, random() % 4 == 0 ? random() % OfiTransport::kMaxPayload : random() % 20))
          break;
        ++count;
      }
      take(from);
    }
    return all(sent) && all(received);
  }));
  ASSERT_TRUE(nodes.poll_until([&] {
    bool flushed = true;
    for (std::int32_t rank = 0; rank < kRanks; ++rank) flushed &= nodes.end(rank).flush();
    return flushed;
  }));
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(nodes.counted.taken(rank), (kRanks - 1) * kPackets);
    EXPECT_EQ(nodes.counted.given(rank), (kRanks - 1) * kPackets);
    EXPECT_EQ(nodes.end(rank).strangers(), 0U);
    EXPECT_TRUE(nodes.inbox(rank).losses.empty());
  }
}

/// Both ranks, until the sender knows that its message has been read; whether the receiver has it.
bool copies(OfiNodes& nodes, const std::vector<std::byte>& from, std::vector<std::byte>& to) {
  SingleCopy& sender = *nodes.end(0).single_copy();
  SingleCopy& receiver = *nodes.end(1).single_copy();
  const CopyOffer offer = sender.offer(Address(1), from.data(), from.size(), SingleCopy::Withdrawal::kNever);
  EXPECT_FALSE(offer.is_none());
  EXPECT_TRUE(sender.is_joint(offer));
  EXPECT_TRUE(receiver.permitted(Address(0)));
  EXPECT_EQ(sender.help(Address(1), offer), CopyState::kWaiting);
  EXPECT_TRUE(receiver.open(Address(0), offer, to.data(), to.size()));
  CopyState read = CopyState::kWaiting;
  CopyState sent = CopyState::kWaiting;
  EXPECT_TRUE(nodes.poll_until([&] {
    if (read == CopyState::kWaiting) read = receiver.advance(Address(0), offer);
    if (sent == CopyState::kWaiting) sent = sender.help(Address(1), offer);
    return read != CopyState::kWaiting && (sent != CopyState::kWaiting || read == CopyState::kRefused);
  }));
  if (read == CopyState::kRefused) sender.withdraw(Address(1), offer);
  receiver.close(Address(0), offer);
  EXPECT_TRUE(read == CopyState::kRefused || sent == CopyState::kDone);
  return read == CopyState::kDone;
}

TEST_P(OfiReads, TheReceiverReadsTheSendersMemory) {
  OfiNodes nodes(2, GetParam());
  nodes.send(0, 1, 1, 8);
  nodes.send(1, 0, 1, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  ASSERT_NE(nodes.end(0).single_copy(), nullptr);
  for (const std::size_t bytes : {1UL, 4096UL, 100'001UL, 5'000'000UL}) {
    std::vector<std::byte> from(bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 7 + i / 251);
    std::vector<std::byte> to(bytes);
    EXPECT_TRUE(copies(nodes, from, to)) << bytes;
    EXPECT_EQ(to, from) << bytes;
  }
  SingleCopy& sender = *nodes.end(0).single_copy();
  const std::byte one{};
  EXPECT_TRUE(sender.offer(Address(1), &one, 1, SingleCopy::Withdrawal::kPossible).is_none())
      << "where the job goes on after deaths no read may be cut off";
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush() && nodes.end(1).flush(); }));
}

TEST_P(OfiReads, NothingIsOfferedToAPeerThatHasNotAnswered) {
  OfiNodes nodes(2, GetParam());
  const std::array<std::byte, 100> memory{};
  EXPECT_TRUE(nodes.end(0)
                  .single_copy()
                  ->offer(Address(1), memory.data(), memory.size(), SingleCopy::Withdrawal::kNever)
                  .is_none());
}

/// Rank 1 tries to read what rank 0 has offered.
void expect_refused(OfiNodes& nodes, const CopyOffer& offer) {
  std::vector<std::byte> to(5000);
  SingleCopy& receiver = *nodes.end(1).single_copy();
  ASSERT_TRUE(receiver.open(Address(0), offer, to.data(), to.size()));
  CopyState read = CopyState::kWaiting;
  ASSERT_TRUE(nodes.poll_until([&] {
    read = receiver.advance(Address(0), offer);
    return read != CopyState::kWaiting;
  }));
  EXPECT_EQ(read, CopyState::kRefused);
}

TEST_P(OfiReads, AnOfferThatIsTakenBackIsRefused) {
  OfiNodes nodes(2, GetParam());
  nodes.send(0, 1, 1, 8);
  nodes.send(1, 0, 1, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  std::vector<std::byte> from(5000, std::byte{1});
  SingleCopy& sender = *nodes.end(0).single_copy();
  const CopyOffer offer = sender.offer(Address(1), from.data(), from.size(), SingleCopy::Withdrawal::kNever);
  EXPECT_EQ(sender.take_back(Address(1), offer), CopyState::kGone);
  expect_refused(nodes, offer);
}

TEST_P(OfiReads, APollDeliversWhatAReadHasCollectedAndSaysSo) {
  OfiNodes nodes(2, GetParam());
  nodes.send(0, 1, 1, 8);
  nodes.send(1, 0, 1, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  ASSERT_TRUE(nodes.await(1, 1));
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush() && nodes.end(1).flush(); }));
  std::vector<std::byte> from(5000, std::byte{1});
  std::vector<std::byte> to(5000);
  SingleCopy& sender = *nodes.end(0).single_copy();
  SingleCopy& receiver = *nodes.end(1).single_copy();
  ASSERT_TRUE(nodes.try_send(0, 1, 2, 8));
  for (int i = 0; i < 1000; ++i) nodes.end(0).poll(nodes.inbox(0));
  const CopyOffer offer = sender.offer(Address(1), from.data(), from.size(), SingleCopy::Withdrawal::kNever);
  ASSERT_TRUE(receiver.open(Address(0), offer, to.data(), to.size()));
  CopyState read = CopyState::kWaiting;  // over some providers for as long as the sender does not poll
  for (int i = 0; i < 10'000 && read == CopyState::kWaiting; ++i) read = receiver.advance(Address(0), offer);
  bool moved = false;
  const std::int64_t until = now_ns() + tcp::TcpNodes::kLongNs;
  while (nodes.inbox(1).messages.size() < 2 && now_ns() < until) {
    nodes.end(0).poll(nodes.inbox(0));
    moved = nodes.end(1).poll(nodes.inbox(1));
  }
  ASSERT_EQ(nodes.inbox(1).messages.size(), 2U);
  EXPECT_TRUE(moved);
  ASSERT_TRUE(nodes.poll_until([&] {
    if (read == CopyState::kWaiting) read = receiver.advance(Address(0), offer);
    return read != CopyState::kWaiting && sender.help(Address(1), offer) == CopyState::kDone;
  }));
}

TEST_P(OfiReads, AReadThatIsNotPermittedIsRefused) {
  OfiNodes nodes(2, GetParam());
  nodes.send(0, 1, 1, 8);
  nodes.send(1, 0, 1, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  std::vector<std::byte> from(5000, std::byte{1});
  SingleCopy& sender = *nodes.end(0).single_copy();
  const CopyOffer offer = sender.offer(Address(1), from.data(), from.size(), SingleCopy::Withdrawal::kNever);
  sender.withdraw(Address(1), offer);
  expect_refused(nodes, offer);
}

TEST_P(OfiProvider, TellsWhatIsKeptOfTheOthersMessages) {
  OfiNodes nodes(2, GetParam());
  nodes.end(1).publish_held(Address(0), 4711);  // before they have met
  nodes.send(0, 1, 1, 8);
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).held_by(Address(1)) == 4711; }));
  nodes.end(1).publish_held(Address(0), 12);
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).held_by(Address(1)) == 12; }));
}

TEST_P(OfiProvider, AFlushLastsUntilThePeerHasAllOrSaysGoodbye) {
  OfiNodes nodes(2, GetParam());
  nodes.send(0, 1, 1, 8);
  ASSERT_TRUE(nodes.await(1, 1));
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush() && nodes.end(1).flush(); }));
  const bool is_sockets = GetParam() == std::string_view("sockets");
  const std::uint64_t last = is_sockets ? 4 : 7;
  for (std::uint64_t word = 2; word <= last; ++word) ASSERT_TRUE(nodes.try_send(0, 1, word, 3000));
  if (is_sockets) {
    EXPECT_FALSE(nodes.try_send(0, 1, last + 1, 3000)) << "it holds back what is more";
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(nodes.end(0).flush());
    nodes.end(0).poll(nodes.inbox(0));
  }
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush(); }));
  EXPECT_EQ(nodes.words(1), is_sockets ? (Words{1, 2, 3, 4}) : (Words{1, 2, 3, 4, 5, 6, 7}));
  ASSERT_TRUE(nodes.try_send(0, 1, 9, 3000));
  EXPECT_FALSE(nodes.end(0).flush());
  nodes.end(1).say_goodbye();
  const std::int64_t until = now_ns() + tcp::TcpNodes::kLongNs;
  while (!nodes.end(0).flush() && now_ns() < until) nodes.end(0).poll(nodes.inbox(0));
  EXPECT_TRUE(nodes.end(0).flush());
}

TEST_P(OfiProvider, APeerThatEndsWithoutAGoodbyeIsLostAfterAllThatItHasSent) {
  OfiNodes nodes(3, GetParam());
  for (std::uint64_t word = 0; word < 5; ++word) nodes.send(0, 1, word, 1000);
  nodes.send(0, 2, 0, 8);
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush(); }));
  nodes.cut_connections();
  nodes.ends[0].reset();
  ASSERT_TRUE(nodes.poll_until([&] { return !nodes.inbox(1).losses.empty() && !nodes.inbox(2).losses.empty(); }));
  EXPECT_EQ(nodes.words(1), (Words{0, 1, 2, 3, 4}));
  EXPECT_TRUE(nodes.end(1).is_dead(Address(0)));
  EXPECT_FALSE(nodes.end(1).is_dead(Address(2)));
  EXPECT_EQ(nodes.inbox(1).losses.size(), 1U);
  EXPECT_NE(nodes.inbox(1).losses.front().second.find("rank 0"), std::string::npos);
  EXPECT_FALSE(nodes.try_send(1, 0, 1));
  EXPECT_FALSE(nodes.end(1).take_failure().ok());
  EXPECT_EQ(nodes.end(1).in_flight(Address(0)), 0U);
  nodes.send(1, 2, 7, 1000);  // the others go on
  ASSERT_TRUE(nodes.await(2, 2));
  EXPECT_EQ(nodes.words(2), (Words{0, 7}));
}

TEST_P(OfiProvider, WhatIsSentToAPeerThatHasEndedWithAGoodbyeIsDropped) {
  OfiNodes nodes(2, GetParam());
  nodes.send(1, 0, 1, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  nodes.send(0, 1, 1, 8);
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush() && nodes.end(1).flush(); }));
  nodes.end(1).say_goodbye();
  nodes.ends[1].reset();
  // Once it is known to have ended nothing is refused.
  int accepted = 0;
  ASSERT_TRUE(nodes.poll_until([&] { return (accepted = nodes.try_send(0, 1, 2, 5000) ? accepted + 1 : 0) == 100; }));
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).flush(); }));
  EXPECT_FALSE(nodes.end(0).is_dead(Address(1)));
  EXPECT_TRUE(nodes.inbox(0).losses.empty());
}

TEST_P(OfiProvider, AFailedPeerSaysNothingMore) {
  OfiNodes nodes(3, GetParam());
  nodes.send(0, 2, 1, 8);
  nodes.send(1, 2, 2, 8);
  ASSERT_TRUE(nodes.await(2, 2));
  nodes.words(2);
  nodes.send(0, 2, 3, 8);
  nodes.send(1, 2, 4, 8);
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.inbox(2).messages.size() == 2; }));
  nodes.end(2).peer_failed(Address(0), nodes.inbox(2));
  nodes.words(2);
  EXPECT_TRUE(nodes.end(2).is_dead(Address(0)));
  nodes.try_send(0, 2, 5, 8);
  nodes.send(1, 2, 6, 8);
  ASSERT_TRUE(nodes.await(2, 1));
  EXPECT_EQ(nodes.words(2), Words{6});
}

class Ofi : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(Ofi, PacksStraightIntoWhatItSends) {
  OfiNodes nodes(2);
  const std::vector<std::byte> data(10'000, std::byte{5});
  datatype::PackCursor cursor(datatype::predefined(datatype::Basic::kByte), data.data(), 10'000);
  ASSERT_TRUE(nodes.poll_until([&] {
    return nodes.end(0).try_send_packed(Address(1), {}, {1, 0}, cursor, data.size());
  }));
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).try_send_packed(Address(1), {}, {2, 0}, cursor, 10); }));
  ASSERT_TRUE(nodes.await(1, 2));
  EXPECT_EQ(nodes.inbox(1).messages[0].payload, data);
  EXPECT_TRUE(nodes.inbox(1).messages[1].payload.empty());
}

TEST_F(Ofi, APeerThatDoesNotLookTakesNotAllTheMemory) {
  OfiNodes nodes(3);
  nodes.send(0, 1, 0, 8);
  nodes.send(0, 2, 0, 8);
  ASSERT_TRUE(nodes.await(1, 1));
  ASSERT_TRUE(nodes.await(2, 1));
  OfiNodes::Inbox ignored;
  std::uint64_t word = 1;
  for (int in_vain = 0; in_vain < 1000; ++in_vain) {
    if (nodes.try_send(0, 1, word, OfiTransport::kMaxPayload)) in_vain = 0, ++word;
    nodes.end(0).poll(ignored);
    ASSERT_LT(word, 100'000U) << "there is no end of it";
  }
  EXPECT_NE(nodes.end(0).in_flight(Address(1)), 0U);
  for (std::uint64_t other = 1; other < 50; ++other) {
    const std::int64_t until = now_ns() + tcp::TcpNodes::kLongNs;
    while (!nodes.try_send(0, 2, other, 8000) && now_ns() < until) {
      nodes.end(0).poll(ignored);
      nodes.end(2).poll(nodes.inbox(2));
    }
  }
  ASSERT_TRUE(nodes.await(2, 50));
  ASSERT_TRUE(nodes.await(1, word));
  Words expected(word);
  for (std::uint64_t i = 0; i < word; ++i) expected[i] = i;
  EXPECT_EQ(nodes.words(1), expected);
}

TEST_F(Ofi, ASessionThatSendsAfterItsGoodbyeTakesItBack) {
  OfiNodes nodes(2);
  nodes.send(1, 0, 1, 8);
  ASSERT_TRUE(nodes.await(0, 1));
  nodes.end(1).say_goodbye();
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).say_goodbye(); })) << "the goodbye has not come";
  nodes.send(1, 0, 2, 8);
  ASSERT_TRUE(nodes.poll_until([&] { return !nodes.end(0).say_goodbye(); })) << "it is not taken back";
  nodes.cut_connections();
  ASSERT_TRUE(nodes.poll_until([&] { return nodes.end(0).is_dead(Address(1)); }));
}

TEST_F(Ofi, TheSettingSaysHowLongMessagesAreSentUnasked) {
  OfiNodes nodes(1);
  EXPECT_EQ(nodes.end(0).limits().eager_limit, OfiNodes::kEagerLimit);
}

TEST_F(Ofi, SignalsAreHandledAsBefore) {
  ASSERT_TRUE(Fabric::open({kTestedProvider, 0}, {}).ok());
  EXPECT_EQ(handlers(), kHandlersAtFirst);
}

TEST_F(Ofi, AProviderThatIsNotThereIsNamed) {
  const auto opened = Fabric::open({"no-such-provider", 0}, {});
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.status().message().find("STARLING_OFI_PROVIDER=no-such-provider"), std::string::npos)
      << opened.status().message();
}

TEST_F(Ofi, AProviderThatLetsConnectionsHangIsTakenOnlyByName) {
  const auto opened = Fabric::open({"", 0}, {});
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const std::string taken = static_cast<const char*>(opened.value()->introduction().provider);
  const bool has_other = why_not("net").empty();  // as in libfabric before 1.18
  EXPECT_TRUE(!has_other || taken != "tcp;ofi_rxm");
  if (!why_not("tcp;ofi_rxm").empty()) return;
  const auto named = Fabric::open({"tcp;ofi_rxm", 0}, {});
  EXPECT_STREQ(static_cast<const char*>(named.value()->introduction().provider), "tcp;ofi_rxm");
}

TEST_F(Ofi, TheEndpointIsAtTheAddressAtWhichTheRankIsReachedOtherwise) {
  const tcp::SocketAddress own[] = {tcp::SocketAddress::loopback()};
  const auto opened = Fabric::open({kTestedProvider, 0}, own);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  const Introduction& introduction = opened.value()->introduction();
  sockaddr_in address{};
  ASSERT_EQ(introduction.address_bytes, sizeof address);
  std::memcpy(&address, static_cast<const void*>(introduction.address), sizeof address);
  EXPECT_EQ(address.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
  EXPECT_NE(address.sin_port, 0);
}

TEST_F(Ofi, RanksWithDifferentProvidersLoseEachOtherWithASentence) {
  if (const std::string why = why_not("sockets"); !why.empty()) GTEST_SKIP() << why;
  OfiNodes nodes({kTestedProvider, "sockets"});
  ASSERT_TRUE(nodes.poll_until([&] {
    nodes.try_send(0, 1, 1);
    return !nodes.inbox(0).losses.empty() && !nodes.inbox(1).losses.empty();
  }));
  for (const std::int32_t rank : {0, 1}) {
    const std::string& why = nodes.inbox(rank).losses.front().second;
    EXPECT_NE(why.find("sockets"), std::string::npos) << why;
    EXPECT_NE(why.find("STARLING_OFI_PROVIDER"), std::string::npos) << why;
  }
}

/// Reports that something injected has failed.
class Complaining final : public NoFabric {
 public:
  [[nodiscard]] std::size_t poll(std::span<Completion> found) override {
    if (std::exchange(has_complained_, true)) return 0;
    found.front() = {nullptr, 0, true};
    return 1;
  }
  [[nodiscard]] const std::string& last_error() const noexcept override { return error_; }

 private:
  bool has_complained_ = false;
  std::string error_ = "the cable is cut";
};

TEST(OfiErrors, ThatNameNoPeerAreTold) {
  tcp::TcpNodes joined(1, tcp::impatient_settings());
  auto made = OfiTransport::create(std::move(joined.ends.front()), std::make_unique<Complaining>(), joined.roster, {},
                                   WorldRank(0), PeerId(OfiNodes::Inbox::kFirstPeer));
  ASSERT_TRUE(made.ok()) << made.status().message();
  OfiTransport& end = *made.value();
  EXPECT_EQ(end.warning(), "");
  for (int i = 0; i < 2; ++i) end.poll(joined.inbox(0));
  EXPECT_NE(end.warning().find("has reported 1 errors to rank 0"), std::string::npos) << end.warning();
  EXPECT_NE(end.warning().find("the cable is cut"), std::string::npos) << end.warning();
}

TEST(OfiSettings, AreRefusedWithASentenceThatNamesThem) {
  config::Store config;
  EXPECT_FALSE(is_wanted(config));
  ASSERT_TRUE(config.set("STARLING_NET", "ofi").ok());
  EXPECT_TRUE(is_wanted(config));
  EXPECT_EQ(settings_of(config).value().provider, "");
  ASSERT_TRUE(config.set("STARLING_OFI_PROVIDER", "net").ok());
  ASSERT_TRUE(config.set("STARLING_OFI_EAGER_LIMIT", "5000").ok());
  EXPECT_EQ(settings_of(config).value().provider, "net");
  EXPECT_EQ(settings_of(config).value().eager_limit, 5000);
  ASSERT_TRUE(config.set("STARLING_NET", "token-ring").ok());
  EXPECT_TRUE(is_wanted(config));
  const auto refused = settings_of(config);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().message(), "STARLING_NET=token-ring is not understood: it takes tcp or ofi");
}

}  // namespace
}  // namespace starling::transport::ofi
