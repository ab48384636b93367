// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobCard: what a rank of a job on several nodes knows of the others before it meets them: which ranks are on which
// node, where each listens, and the secret by which they know each other. Whoever starts the job makes it: our
// launcher's agent on each node writes it into an unnamed file, whose descriptor the ranks inherit
// (bootstrap::kCardVariable); under another launcher the ranks compose it from what they exchange.
//
// Layout of the file: kFormat, then the fields in the order in which they stand here, by base/byte_stream.hpp.
// Thread safety: a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/id.hpp"
#include "base/status.hpp"
#include "memory/placement.hpp"

namespace starling::bootstrap {

/// Where a rank listens for those of other nodes.
struct Entrance {
  std::string address;    ///< "10.0.0.1:4000", "[2001:db8::1]:4000"
  std::string interface;  ///< the network interface that has the address, as its host names it: "eth0"

  friend bool operator==(const Entrance&, const Entrance&) = default;
};

struct JobCard {
  /// The first word: a library and a launcher of different builds understand each other, or say that they do not.
  static constexpr std::string_view kFormat = "starling-card-1";

  struct Node {
    std::string host;              ///< as messages name it
    std::vector<WorldRank> ranks;  ///< in the order of their local ranks
    std::int32_t usable_cores = 1;
    std::vector<std::int32_t> app_numbers;  ///< MPI_APPNUM of the ranks, in the same order

    friend bool operator==(const Node&, const Node&) = default;
  };

  std::uint64_t job = 0;  ///< its id, the same on all nodes
  std::array<std::byte, 32> secret{};
  std::vector<Node> nodes;
  std::int32_t own_node = 0;
  std::vector<std::vector<Entrance>> entrances;  ///< by world rank, the best first
  /// By local rank: the descriptors of its listeners, which no other rank inherits. Empty while the card travels
  /// between hosts; an empty list for a rank that opens its listeners itself.
  std::vector<std::vector<int>> listeners;

  [[nodiscard]] memory::Placement placement() const;
  /// The host of a rank, for messages.
  [[nodiscard]] const std::string& host_of(WorldRank rank) const;

  /// Those of a rank of this node.
  [[nodiscard]] std::vector<int> listeners_of(LocalRank rank) const {
    return rank.index() < listeners.size() ? listeners[rank.index()] : std::vector<int>();
  }

  [[nodiscard]] std::string serialised() const;
  /// kOther with the reason when it is no card, or that of another build.
  static Result<JobCard> parse(std::string_view bytes);

  /// Writes it into an unnamed file that nobody can change any more.
  [[nodiscard]] Result<Descriptor> to_file() const;
  static Result<JobCard> from_file(int descriptor);

  friend bool operator==(const JobCard&, const JobCard&) = default;
};

}  // namespace starling::bootstrap
