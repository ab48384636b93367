// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankCard: what a rank tells the others where no launcher of ours knows it: another launcher's exchange carries it as
// text. From the cards of all ranks follow the facts of a node and, with several nodes, the job card.
// Thread safety: values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"
#include "bootstrap/nodes/job_card.hpp"

namespace starling::bootstrap {

struct RankCard {
  WorldRank node_leader{0};            ///< the lowest rank on its node, which stands for the node
  std::int32_t app_number = 0;         ///< MPI_APPNUM
  std::vector<unsigned> threads;       ///< the hardware threads that it may use
  double quota_cores = 0;              ///< the CPU quota of its control group; 0: none
  std::string segment;                 ///< of a leader: the address of the node's segment, as text
  std::string host;                    ///< as messages name it
  std::vector<Entrance> entrances;     ///< where it listens; empty where all ranks are on one node
  std::uint64_t job = 0;               ///< of rank 0: the id of the job
  std::string tuning;                  ///< of rank 0, with several nodes: the constants by which all ranks choose
  std::array<std::byte, 32> secret{};  ///< of rank 0, where there are several nodes

  /// Of hexadecimal digits.
  [[nodiscard]] std::string text() const;
  /// kOther when it is none, or that of another build. ranks: of the job.
  static Result<RankCard> parse(std::string_view text, std::int32_t ranks);

  friend bool operator==(const RankCard&, const RankCard&) = default;
};

/// How many cores the ranks of a node may use together. The launcher may have bound each of them to a few.
[[nodiscard]] std::int32_t usable_cores_of(const std::vector<RankCard>& cards, WorldRank node_leader);

/// The hardware threads that the ranks of a node may use together.
[[nodiscard]] std::vector<unsigned> threads_of(const std::vector<RankCard>& cards, WorldRank node_leader);

/// The job card of the node of `own`. cards: by world rank. The card has no listeners.
[[nodiscard]] JobCard job_card_of(const std::vector<RankCard>& cards, WorldRank own);

}  // namespace starling::bootstrap
