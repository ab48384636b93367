// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "observe/analysis/wait_graph.hpp"

#include <gtest/gtest.h>

namespace starling::observe {
namespace {

using Nodes = WaitGraph::Nodes;

/// Nodes of these kinds, each with its targets.
WaitGraph graph_of(const std::vector<WaitGraph::Entry>& entries) {
  WaitGraph graph;
  for (const auto& entry : entries) graph.add(entry.kind);
  for (WaitGraph::Node node = 0; node < entries.size(); ++node) {
    for (const WaitGraph::Node target : entries[node].targets) graph.wait_for(node, target);
  }
  return graph;
}

constexpr auto kRuns = NodeKind::kRuns;
constexpr auto kAll = NodeKind::kWaitsForAll;
constexpr auto kAny = NodeKind::kWaitsForAny;
constexpr auto kStuck = NodeKind::kStuck;

TEST(WaitGraph, ReleasesWhoWaitsForRunningNodes) {
  const WaitGraph graph = graph_of({{kRuns, {}}, {kAll, {0}}, {kAll, {0, 1}}, {kAny, {1, 3}}});
  EXPECT_EQ(graph.stuck(), std::vector<bool>(4, false));
}

TEST(WaitGraph, KeepsACircleAndThoseWhoWaitForIt) {
  const WaitGraph graph = graph_of({{kAll, {1}}, {kAll, {0}}, {kAll, {0, 3}}, {kRuns, {}}, {kAny, {0, 3}}});
  EXPECT_EQ(graph.stuck(), (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(graph.knots(graph.stuck()), (std::vector<Nodes>{{0, 1}}));
}

TEST(WaitGraph, KeepsAWaitForAnyOnlyWhereAllAreStuck) {
  const WaitGraph graph = graph_of({{kAny, {1, 2}}, {kAll, {0}}, {kStuck, {}}});
  EXPECT_EQ(graph.stuck(), std::vector<bool>(3, true));
  EXPECT_EQ(graph.knots(graph.stuck()), (std::vector<Nodes>{{2}}));
}

TEST(WaitGraph, NeverReleasesAWaitForNobody) {
  EXPECT_EQ(graph_of({{kAny, {}}, {kAll, {}}}).stuck(), (std::vector<bool>{true, false}));
}

TEST(WaitGraph, FindsTheSmallestPartOfAKnot) {
  // 0 and 1 are a circle; 2 and 3 wait for it, and 0 for all.
  const WaitGraph graph = graph_of({{kAll, {1, 2, 3}}, {kAll, {0}}, {kAll, {0}}, {kAll, {2}}});
  const auto knots = graph.knots(graph.stuck());
  ASSERT_EQ(knots, (std::vector<Nodes>{{0, 1, 2, 3}}));
  EXPECT_EQ(graph.smallest_part(knots[0]), (Nodes{0, 1}));
}

TEST(WaitGraph, KeepsAllOfAKnotThatAWaitForAnyNeeds) {
  const WaitGraph graph = graph_of({{kAny, {1, 2}}, {kAll, {0}}, {kAll, {0}}});
  EXPECT_EQ(graph.smallest_part({0, 1, 2}), (Nodes{0, 1, 2}));
}

}  // namespace
}  // namespace starling::observe
