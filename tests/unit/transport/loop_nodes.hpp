// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the loop transport have in common: a network with one rank on each node, and a sink that keeps what
// it is given.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transport/loop/loop_transport.hpp"
#include "unit/transport/counted_ranks.hpp"

namespace starling::transport::loop {

/// Keeps the packets that it is given; their peers are numbered from kFirstPeer on.
struct LoopInbox final : Sink {
  static constexpr std::int32_t kFirstPeer = 100;
  struct Message {
    std::int32_t from;
    std::uint64_t word;
    std::vector<std::byte> payload;
  };

  void on_packet(PeerId peer, const Packet& packet) override {
    messages.push_back({peer.value - kFirstPeer, packet.words[0], {packet.payload.begin(), packet.payload.end()}});
  }

  std::vector<Message> messages;
};

class LoopNodes {
 public:
  LoopNodes(std::int32_t ranks, const Settings& settings) : counted(ranks) {
    std::vector<std::vector<WorldRank>> nodes;
    std::vector<PeerId> peers;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      nodes.push_back({WorldRank(rank)});
      peers.emplace_back(LoopInbox::kFirstPeer + rank);
    }
    auto made = Network::create(std::move(nodes), settings);
    EXPECT_TRUE(made.ok()) << made.status().message();
    network = std::move(made).value();
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      ends.push_back(std::make_unique<LoopTransport>(*network, WorldRank(rank), peers, counted.of(rank)));
    }
  }

  bool send(std::int32_t from, std::int32_t to, std::uint64_t word, std::size_t bytes = 0) {
    const std::vector<std::byte> payload(bytes, static_cast<std::byte>(word));
    return end(from).try_send_words(Address(to), {}, {word, 0}, payload.data(), bytes);
  }
  /// All that has arrived.
  std::vector<LoopInbox::Message> take(std::int32_t rank) {
    LoopInbox inbox;
    while (end(rank).poll(inbox)) {
    }
    return std::move(inbox.messages);
  }
  /// The words of what has arrived.
  std::vector<std::uint64_t> words(std::int32_t rank) {
    std::vector<std::uint64_t> found;
    for (const LoopInbox::Message& message : take(rank)) found.push_back(message.word);
    return found;
  }
  LoopTransport& end(std::int32_t rank) { return *ends[static_cast<std::size_t>(rank)]; }

  CountedRanks counted;
  std::unique_ptr<Network> network;
  std::vector<std::unique_ptr<LoopTransport>> ends;
};

}  // namespace starling::transport::loop
