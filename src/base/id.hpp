// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Id: the numbers by which processes are told apart, each kind a type of its own, so that the compiler refuses one
// where another is meant. On one node and in one job they are all equal, so no test would notice.
//
//   WorldRank   rank in MPI_COMM_WORLD of this process's own job
//   LocalRank   index of a process in a segment that it shares with others: its rank on its node, or its place in the
//               segment of a connection between jobs
//   PeerId      p2p's number of a process that messages go to and come from
//   ProcessId   the number by which the groups of this process name a process, of its own job or of another
//
// Ranks in a communicator are plain std::int32_t, as in the standard. Thread safety: values.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace starling {

template <typename Tag>
struct Id {
  std::int32_t value = -1;  ///< -1: none

  constexpr Id() = default;
  constexpr explicit Id(std::int32_t number) noexcept : value(number) {}
  constexpr explicit Id(std::uint32_t number) noexcept : value(static_cast<std::int32_t>(number)) {}
  constexpr explicit Id(std::size_t number) noexcept : value(static_cast<std::int32_t>(number)) {}

  /// For arrays. Not of none.
  [[nodiscard]] constexpr std::size_t index() const noexcept { return static_cast<std::size_t>(value); }
  [[nodiscard]] constexpr bool is_none() const noexcept { return value < 0; }

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using WorldRank = Id<struct WorldRankTag>;
using LocalRank = Id<struct LocalRankTag>;
using PeerId = Id<struct PeerTag>;
using ProcessId = Id<struct ProcessTag>;
static_assert(sizeof(WorldRank) == 4, "ids stand in structures that processes share");

// p2p and groups number the processes of the own job by their world ranks, and those of other jobs after them.
[[nodiscard]] constexpr PeerId peer_of(WorldRank rank) noexcept { return PeerId(rank.value); }
[[nodiscard]] constexpr ProcessId process_of(WorldRank rank) noexcept { return ProcessId(rank.value); }

}  // namespace starling

template <typename Tag>
struct std::hash<starling::Id<Tag>> {
  std::size_t operator()(starling::Id<Tag> id) const noexcept { return std::hash<std::int32_t>()(id.value); }
};
