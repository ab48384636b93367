// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobCardView: the job card that a process has found, read where it lies. The ranks of a node map the same file, so
// what a rank knows of the others costs memory once a node.
// Thread safety: immutable; copies view the same bytes. Invariants: the card is whole and does not contradict itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "bootstrap/nodes/entrance.hpp"
#include "bootstrap/nodes/job_card_layout.hpp"
#include "memory/placement.hpp"

namespace starling::bootstrap {

class JobCardView {
 public:
  /// Maps the file of a card; the descriptor is not needed afterwards. kOther with the reason when it is no card, or
  /// that of another build.
  static Result<JobCardView> of_file(int descriptor);
  /// bytes: aligned as JobCardHeader; memory keeps them where they are.
  static Result<JobCardView> of_bytes(std::string_view bytes, std::shared_ptr<const void> memory);

  [[nodiscard]] std::uint64_t job() const noexcept { return header().job; }
  [[nodiscard]] const std::array<std::byte, 32>& secret() const noexcept { return header().secret; }
  [[nodiscard]] std::int32_t own_node() const noexcept { return header().own_node; }
  [[nodiscard]] std::size_t nodes() const noexcept { return placed_.nodes.size(); }
  [[nodiscard]] std::size_t ranks() const noexcept { return placed_.places.size(); }
  /// Its tables are those of the card.
  [[nodiscard]] memory::Placement placement() const { return {placed_, own_node(), memory_}; }
  /// As messages name it.
  [[nodiscard]] std::string_view host(std::size_t node) const noexcept { return text(hosts_[node]); }
  [[nodiscard]] std::string_view host_of(WorldRank rank) const noexcept {
    return host(static_cast<std::size_t>(placed_.places[rank.index()].node));
  }

  /// The best first.
  [[nodiscard]] std::vector<Entrance> entrances_of(WorldRank rank) const;
  /// What the entrances of all ranks have before their ports, each text once: "10.0.0.1:".
  [[nodiscard]] std::size_t addresses() const noexcept { return addresses_.size(); }
  [[nodiscard]] std::string_view address(std::size_t number) const noexcept {
    return text(addresses_[number].before_port);
  }

  /// Whether the listeners of this node's ranks are in the card.
  [[nodiscard]] bool has_listeners() const noexcept { return !listener_ends_.empty(); }
  /// The descriptors of those of a rank of this node.
  [[nodiscard]] std::vector<std::int32_t> listeners_of(LocalRank rank) const;

 private:
  JobCardView(const std::byte* bytes, std::shared_ptr<const void> memory) noexcept
      : bytes_(bytes), memory_(std::move(memory)) {}

  [[nodiscard]] const JobCardHeader& header() const noexcept { return *reinterpret_cast<const JobCardHeader*>(bytes_); }
  [[nodiscard]] std::string_view text(TextPlace place) const noexcept {
    return texts_.substr(place.begin, place.bytes);
  }
  /// Finds the tables; false when they are not as long as the card.
  [[nodiscard]] bool find_tables(std::size_t bytes);
  [[nodiscard]] bool has_text(TextPlace place) const noexcept;
  [[nodiscard]] bool are_all_placed() const;
  [[nodiscard]] bool have_addresses() const;
  [[nodiscard]] bool have_listeners() const;

  const std::byte* bytes_;
  std::shared_ptr<const void> memory_;
  memory::PlacementTables placed_;
  std::span<const TextPlace> hosts_;
  std::span<const std::uint32_t> entrance_ends_;
  std::span<const EntranceRow> entrances_;
  std::span<const AddressRow> addresses_;
  std::span<const std::uint32_t> listener_ends_;
  std::span<const std::int32_t> listeners_;
  std::string_view texts_;
};

}  // namespace starling::bootstrap
