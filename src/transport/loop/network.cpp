// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/loop/network.hpp"

#include <utility>

namespace starling::transport::loop {

Result<std::unique_ptr<Network>> Network::create(std::vector<std::vector<WorldRank>> nodes, const Settings& settings) {
  std::unique_ptr<Network> network(new Network(std::move(nodes), settings));
  std::size_t ranks = 0;
  for (const std::vector<WorldRank>& node : network->nodes_) ranks += node.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto mailbox = Mailbox::create(WorldRank(rank), static_cast<std::int32_t>(ranks), network->settings_);
    if (!mailbox.ok()) return std::move(mailbox).status();
    network->mailboxes_.push_back(std::move(mailbox).value());
  }
  return network;
}

void Network::cut(std::int32_t node, std::int32_t other) {
  for (const WorldRank here : nodes_[static_cast<std::size_t>(node)]) {
    for (const WorldRank there : nodes_[static_cast<std::size_t>(other)]) {
      mailbox(here).break_link(there, UnderWay::kIsLost);
      mailbox(there).break_link(here, UnderWay::kIsLost);
    }
  }
}

void Network::kill(WorldRank rank) {
  for (WorldRank other(0); other.value < ranks(); ++other.value) {
    if (other == rank) continue;
    mailbox(other).break_link(rank, UnderWay::kArrives);
    mailbox(rank).break_link(other, UnderWay::kIsLost);
  }
}

void Network::leave(WorldRank rank) {
  for (const std::unique_ptr<Mailbox>& mailbox : mailboxes_) mailbox->lose_late(rank);
  std::vector<WorldRank> waiting;
  mailbox(rank).close(waiting);
  ring(waiting);
}

void Network::ring(const std::vector<WorldRank>& ranks) {
  for (const WorldRank rank : ranks) mailbox(rank).ring();
}

}  // namespace starling::transport::loop
