// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "memory/placement.hpp"

namespace starling::memory {
namespace {

/// The tables of a placement that has them to itself.
struct OwnTables {
  explicit OwnTables(const std::vector<Placement::Node>& of) {
    for (const Placement::Node& node : of) {
      nodes.push_back(
          {static_cast<std::uint32_t>(ranks.size()), static_cast<std::uint32_t>(node.ranks.size()), node.usable_cores});
      ranks.insert(ranks.end(), node.ranks.begin(), node.ranks.end());
      app_numbers.insert(app_numbers.end(), node.app_numbers.begin(), node.app_numbers.end());
      app_numbers.resize(ranks.size());
    }
    places.resize(ranks.size());
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      for (std::size_t local = 0; local < nodes[node].ranks; ++local) {
        places[ranks[nodes[node].first + local].index()] = {static_cast<std::int32_t>(node), LocalRank(local)};
      }
    }
  }

  std::vector<PlacementTables::NodeRow> nodes;
  std::vector<WorldRank> ranks;
  std::vector<std::int32_t> app_numbers;
  std::vector<Place> places;
};

}  // namespace

Placement Placement::one_node(std::int32_t ranks, std::int32_t usable_cores) {
  Node all{{}, usable_cores};
  for (std::int32_t rank = 0; rank < ranks; ++rank) all.ranks.emplace_back(rank);
  return {{all}, 0};
}

Placement::Placement(const std::vector<Node>& nodes, std::int32_t own_node) : own_node_(own_node) {
  const auto own = std::make_shared<const OwnTables>(nodes);
  tables_ = {own->nodes, own->ranks, own->app_numbers, own->places};
  memory_ = own;
}

}  // namespace starling::memory
