// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the TCP transport have in common: a job with one rank on each node, joined over the loopback
// interface, and a sink that keeps what it is given.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/random_bytes.hpp"
#include "support/pattern.hpp"
#include "transport/tcp/listed_roster.hpp"
#include "transport/tcp/tcp_transport.hpp"
#include "unit/transport/counted_ranks.hpp"

namespace starling::transport::tcp {

/// Keeps the packets that it is given; their peers are numbered from kFirstPeer on.
struct TcpInbox final : Sink {
  static constexpr std::int32_t kFirstPeer = 100;
  struct Message {
    std::int32_t from;
    std::uint64_t word;
    std::vector<std::byte> payload;

    /// The payload is what TcpNodes::try_send sends with the word.
    [[nodiscard]] bool is_whole() const { return tests::are_all(payload, static_cast<std::byte>(word)); }
  };

  void on_packet(PeerId peer, const Packet& packet) override {
    messages.push_back({peer.value - kFirstPeer, packet.words[0], {packet.payload.begin(), packet.payload.end()}});
  }

  void on_lost(PeerId peer, LostBy /*by*/, const Status& why) override {
    losses.emplace_back(peer.value - kFirstPeer, why.message());
  }

  std::vector<Message> messages;
  void on_trouble(const std::string& what) override { troubles.push_back(what); }

  std::vector<std::pair<std::int32_t, std::string>> losses;
  std::vector<std::string> troubles;
};

/// A rank that cannot be called is soon given up.
inline Settings impatient_settings() {
  Settings settings;
  settings.to_call_ms = 20;
  return settings;
}

class TcpNodes {
 public:
  static constexpr std::int64_t kLongNs = 30'000'000'000;

  explicit TcpNodes(std::int32_t ranks, Settings wanted = {}) : settings(std::move(wanted)), counted(ranks) {
    roster.job = 77;
    EXPECT_TRUE(fill_randomly(roster.secret).ok());
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      auto listener = Listener::open(SocketAddress::loopback(), {});
      EXPECT_TRUE(listener.ok()) << listener.status().message();
      roster.ranks.push_back({listener.value().address()});
      listeners.push_back(std::move(listener).value());
    }
    for (std::int32_t rank = 0; rank < ranks; ++rank) ends.push_back(nullptr);
    for (std::int32_t rank = 0; rank < ranks; ++rank) start(rank);
  }

  void start(std::int32_t rank) {
    const auto index = static_cast<std::size_t>(rank);
    auto made = TcpTransport::create({roster, std::span(&listeners[index], 1)}, settings, WorldRank(rank),
                                     PeerId(TcpInbox::kFirstPeer), counted.of(rank));
    ASSERT_TRUE(made.ok()) << made.status().message();
    ends[index] = std::move(made).value();
  }

  bool try_send(std::int32_t from, std::int32_t to, std::uint64_t word, std::size_t bytes = 0) {
    const std::vector<std::byte> payload(bytes, static_cast<std::byte>(word));
    return end(from).try_send_words(Address(to), {}, {word, 0}, payload.data(), bytes);
  }
  /// Sends; meanwhile both ranks are polled, and what arrives is kept.
  void send(std::int32_t from, std::int32_t to, std::uint64_t word, std::size_t bytes = 0) {
    const bool sent = poll_until([&] { return try_send(from, to, word, bytes); });
    ASSERT_TRUE(sent) << "from " << from << " to " << to << ": " << end(from).take_failure().message();
  }
  /// Polls all ranks until it is so; false after a time that only a lost packet takes.
  template <typename Done>
  bool poll_until(Done&& done) {
    return until([&] {
      if (done()) return true;
      for (std::size_t rank = 0; rank < ends.size(); ++rank) {
        if (ends[rank]) ends[rank]->poll(inboxes[rank]);
      }
      return false;
    });
  }
  /// The same, but polls nobody.
  template <typename Done>
  static bool until(Done&& done) {
    const std::int64_t late = now_ns() + kLongNs;
    while (!done()) {
      if (now_ns() > late) return false;
    }
    return true;
  }
  bool await(std::int32_t rank, std::size_t messages) {
    return poll_until([&] { return inbox(rank).messages.size() >= messages; });
  }
  /// The words of what has arrived.
  std::vector<std::uint64_t> words(std::int32_t rank) {
    std::vector<std::uint64_t> found;
    for (const TcpInbox::Message& message : inbox(rank).messages) found.push_back(message.word);
    inbox(rank).messages.clear();
    return found;
  }
  TcpTransport& end(std::int32_t rank) { return *ends[static_cast<std::size_t>(rank)]; }
  /// Of one that is connected with the other.
  int socket(std::int32_t rank, std::int32_t other) {
    return end(rank).peers().find(Address(other))->connection->socket.get();
  }
  TcpInbox& inbox(std::int32_t rank) {
    if (inboxes.size() < ends.size()) inboxes.resize(ends.size());
    return inboxes[static_cast<std::size_t>(rank)];
  }

  Settings settings;
  CountedRanks counted;
  ListedRoster roster;
  std::vector<Listener> listeners;
  std::vector<std::unique_ptr<TcpTransport>> ends;
  std::vector<TcpInbox> inboxes = std::vector<TcpInbox>(1100);
};

/// A caller that the test drives message by message, as a rank would or as no rank would.
class RawCaller {
 public:
  RawCaller(const Roster& of_whom, std::int32_t from, std::int32_t to)
      : socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), handshake(of_whom, WorldRank(from)) {
    const SocketAddress at = of_whom.addresses(WorldRank(to)).front();
    EXPECT_EQ(connect(socket.get(), at.data(), at.bytes()), 0);
    hello = handshake.hello(WorldRank(to)).value();
  }

  /// Reads a message while the nodes are polled; false when the connection ends first.
  template <typename Message>
  bool read(TcpNodes& nodes, Message& message) {
    MessageReader::Outcome outcome = MessageReader::Outcome::kNotYet;
    nodes.poll_until([&] {
      outcome = reader.read(socket.get(), message);
      return outcome != MessageReader::Outcome::kNotYet;
    });
    return outcome == MessageReader::Outcome::kWhole;
  }
  /// Whether the other side closes the connection without a word.
  bool is_turned_away(TcpNodes& nodes) {
    std::byte word{};
    return !read(nodes, word);
  }
  /// As a rank does it.
  bool join(TcpNodes& nodes) {
    Answer answer;
    Welcome welcome;
    return send_message(socket.get(), hello) && read(nodes, answer) && handshake.is_right(hello, answer) &&
           send_message(socket.get(), handshake.confirmation(hello, answer.nonce)) && read(nodes, welcome);
  }

  Descriptor socket;
  Handshake handshake;
  Hello hello;
  MessageReader reader;
};

}  // namespace starling::transport::tcp
