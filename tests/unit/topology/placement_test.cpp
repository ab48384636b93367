// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace starling::topology {
namespace {

/// Processes dealt out to the caches in turn: neighbours in rank are far from each other.
std::vector<Locality> dealt_out(int processes, int caches) {
  std::vector<Locality> all(static_cast<std::size_t>(processes));
  for (int i = 0; i < processes; ++i) {
    Locality& locality = all[static_cast<std::size_t>(i)];
    locality.object[static_cast<std::size_t>(Level::kPackage)] = 0;
    locality.object[static_cast<std::size_t>(Level::kNuma)] = 0;
    locality.object[static_cast<std::size_t>(Level::kL3)] = i % caches;
  }
  return all;
}

std::vector<Edge> chain(int places) {
  std::vector<Edge> edges;
  for (int i = 0; i + 1 < places; ++i) edges.push_back({i, i + 1});
  return edges;
}

std::vector<std::int32_t> identity(std::size_t count) {
  std::vector<std::int32_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Placement, PutsAChainIntoCachesPieceByPiece) {
  const auto processes = dealt_out(8, 2);
  const auto edges = chain(8);
  const auto places = place_processes(processes, edges);
  EXPECT_EQ(cost(processes, identity(8), edges), 7);
  EXPECT_EQ(cost(processes, places, edges), 1);
}

TEST(Placement, PutsAChainOntoNodesPieceByPiece) {
  // Cores of equal numbers on two nodes are far from each other; on one they would be the same.
  auto processes = dealt_out(8, 1);
  const auto edges = chain(8);
  EXPECT_EQ(cost(processes, identity(8), edges), 0);
  for (std::size_t i = 0; i < processes.size(); ++i) processes[i].node = static_cast<std::int32_t>(i % 2);
  EXPECT_EQ(cost(processes, place_processes(processes, edges), edges) * 7, cost(processes, identity(8), edges));
}

TEST(Placement, KeepsTheOrderWhereNothingIsGained) {
  EXPECT_EQ(place_processes(dealt_out(6, 1), chain(6)), identity(6));
  EXPECT_EQ(place_processes(dealt_out(6, 3), {}), identity(6));
  EXPECT_TRUE(place_processes({}, {}).empty());
}

TEST(Placement, CutsAGridIntoTiles) {
  // 4 by 4 places, four caches of four: rows side by side in rank order are dealt out to all caches.
  std::vector<Edge> edges;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      if (column < 3) edges.push_back({row * 4 + column, row * 4 + column + 1});
      if (row < 3) edges.push_back({row * 4 + column, row * 4 + column + 4});
    }
  }
  const auto processes = dealt_out(16, 4);
  const auto places = place_processes(processes, edges);
  // Four rows or four tiles would leave 12 or 8 edges outside; growing finds something of that kind.
  EXPECT_LE(cost(processes, places, edges), 14);
}

TEST(Placement, IsAlwaysAPermutationAndNeverWorse) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const int count = 1 + static_cast<int>(random() % 12);
    std::vector<Locality> processes(static_cast<std::size_t>(count));
    for (Locality& locality : processes) {
      for (std::size_t level = 0; level < 3; ++level)
        locality.object[level] = static_cast<std::int32_t>(random() % 3) - 1;
    }
    std::vector<Edge> edges;
    const auto vertex = [&] { return static_cast<std::int32_t>(random() % static_cast<unsigned>(count)); };
    for (int i = 0; i < 2 * count; ++i)
      edges.push_back({vertex(), vertex(), 1 + static_cast<std::int32_t>(random() % 5)});
    const auto places = place_processes(processes, edges);
    auto sorted = places;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, identity(places.size()));
    EXPECT_LE(cost(processes, places, edges), cost(processes, identity(places.size()), edges));
  }
}

}  // namespace
}  // namespace starling::topology
