// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// JobCard: what a rank of a job on several nodes knows of the others before it meets them: which ranks are on which
// node, where each listens, and the secret by which they know each other. Whoever starts the job makes it: our
// launcher's agent on each node writes it into an unnamed file, whose descriptor the ranks inherit
// (bootstrap::kCardVariable); under another launcher the ranks compose it from what they exchange. The ranks read it by
// a JobCardView (job_card_layout.hpp has the bytes).
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
#include "bootstrap/nodes/entrance.hpp"
#include "bootstrap/nodes/job_card_view.hpp"

namespace starling::bootstrap {

struct JobCard {
  struct Node {
    std::string host;              ///< as messages name it
    std::vector<WorldRank> ranks;  ///< in the order of their local ranks
    std::int32_t usable_cores = 1;
    std::vector<std::int32_t> app_numbers{};  ///< MPI_APPNUM of the ranks, in the same order; empty: all are 0

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

  [[nodiscard]] std::string serialised() const;
  /// kOther with the reason when it is no card, or that of another build.
  static Result<JobCard> parse(std::string_view bytes);
  /// What is viewed.
  static JobCard of(const JobCardView& view);

  /// Writes it into an unnamed file that nobody can change any more.
  [[nodiscard]] Result<Descriptor> to_file() const;

  friend bool operator==(const JobCard&, const JobCard&) = default;
};

}  // namespace starling::bootstrap
