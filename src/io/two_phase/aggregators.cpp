// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/two_phase/aggregators.hpp"

#include <algorithm>
#include <numeric>

#include "comm/node_numbers.hpp"
#include "memory/usable_cores.hpp"

namespace starling::io {
namespace {

std::int32_t count(const NodeRanks& node) { return static_cast<std::int32_t>(node.ranks.size()); }

/// How many of `wished` aggregators each node has: the nodes take turns as long as they have ranks.
std::vector<std::int32_t> deal(const std::vector<NodeRanks>& nodes, std::int32_t wished) {
  std::vector<std::int32_t> shares(nodes.size(), 0);
  const auto all = static_cast<std::int32_t>(nodes.size());
  if (wished < all) {
    for (std::int64_t i = 0; i < wished; ++i) shares[static_cast<std::size_t>(i * all / wished)] = 1;
    return shares;
  }
  std::int32_t dealt = 0;
  for (bool room = true; dealt < wished && room;) {
    room = false;
    for (std::size_t node = 0; node < nodes.size() && dealt < wished; ++node) {
      if (shares[node] == count(nodes[node])) continue;
      ++shares[node];
      ++dealt;
      room = true;
    }
  }
  return shares;
}

}  // namespace

std::vector<NodeRanks> nodes_of(const comm::Communicator& comm, const memory::Placement& placement) {
  std::vector<NodeRanks> nodes;
  if (const comm::SharedDomain* const domain = comm.shared_domain()) {
    nodes.push_back(
        {std::vector<std::int32_t>(static_cast<std::size_t>(comm.size())), memory::usable_cores_of(domain->segment())});
    std::iota(nodes.front().ranks.begin(), nodes.front().ranks.end(), 0);
    return nodes;
  }
  const comm::NodeNumbers numbers(comm, placement);
  std::vector<std::size_t> number(static_cast<std::size_t>(numbers.count()), nodes.max_size());
  for (std::int32_t rank = 0; rank < comm.size(); ++rank) {
    const std::int32_t node = numbers.of(comm.process(rank));
    std::size_t& known = number[static_cast<std::size_t>(node)];
    if (known == nodes.max_size()) {
      known = nodes.size();
      nodes.push_back({{}, numbers.usable_cores(node)});
    }
    nodes[known].ranks.push_back(rank);
  }
  return nodes;
}

std::vector<std::int32_t> choose_aggregators(const std::vector<NodeRanks>& nodes, std::int32_t wished) {
  std::vector<std::int32_t> shares;
  if (wished > 0) {
    shares = deal(nodes, wished);
  } else {
    for (const NodeRanks& node : nodes) shares.push_back(std::clamp(node.cores, 1, count(node)));
  }
  std::vector<std::int32_t> chosen;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    for (std::int64_t i = 0; i < shares[node]; ++i) {
      chosen.push_back(nodes[node].ranks[static_cast<std::size_t>(i * count(nodes[node]) / shares[node])]);
    }
  }
  return chosen;
}

}  // namespace starling::io
