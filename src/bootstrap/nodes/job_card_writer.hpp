// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobCardWriter: puts the tables of a job card together. It writes what it is told, also what contradicts itself: who
// reads the card refuses that. Thread safety: a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bootstrap/nodes/entrance.hpp"
#include "bootstrap/nodes/job_card_layout.hpp"
#include "memory/placement.hpp"

namespace starling::bootstrap {

class JobCardWriter {
 public:
  JobCardHeader header;  ///< without the counts

  /// The world has so many ranks; called first.
  void place(std::size_t ranks) { places_.resize(ranks); }
  void add_node(std::string_view host, const memory::Placement::Node& node);
  /// Of the next world rank.
  void add_entrances(const std::vector<Entrance>& entrances);
  /// Of the next rank of this node.
  void add_listeners(const std::vector<std::int32_t>& descriptors);

  [[nodiscard]] std::string bytes();

 private:
  /// Each text stands in the card once.
  TextPlace put(std::string_view text);
  /// The number of an address, which stands in the card once, too.
  std::uint32_t put_address(std::string_view before_port, std::string_view interface);

  std::vector<memory::PlacementTables::NodeRow> nodes_;
  std::vector<TextPlace> hosts_;
  std::vector<WorldRank> ranks_;
  std::vector<std::int32_t> app_numbers_;
  std::vector<memory::Place> places_;
  std::vector<std::uint32_t> entrance_ends_;
  std::vector<EntranceRow> entrances_;
  std::vector<AddressRow> addresses_;
  std::vector<std::uint32_t> listener_ends_;
  std::vector<std::int32_t> listeners_;
  std::string texts_;
  std::unordered_map<std::string, TextPlace> place_of_;
  std::unordered_map<std::string, std::uint32_t> number_of_;
};

}  // namespace starling::bootstrap
