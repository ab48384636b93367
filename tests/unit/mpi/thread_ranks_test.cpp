// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What ranks that are threads find in the segment of their node, where there are several.
#include "mpi/env/thread_ranks.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mpi/boundary/context.hpp"

namespace starling::mpi {
namespace {

/// The ranks that the segment of this node has at its places.
std::vector<std::int32_t> ranks_of_this_node() {
  memory::JobSegment& segment = current()->progress->segment();
  std::vector<std::int32_t> ranks;
  for (LocalRank place{0}; place.index() < segment.ranks(); ++place.value)
    ranks.push_back(segment.rank(place).home_rank.value);
  return ranks;
}

void expect_nodes(Dealing dealing, const std::vector<std::vector<std::int32_t>>& nodes) {
  ThreadRanks job;
  job.ranks = 5;
  job.nodes = 2;
  job.dealing = dealing;
  const int unfinished = run_ranks_as_threads(job, [&](int rank) {
    MPI_Init(nullptr, nullptr);
    const std::vector<std::int32_t> here = ranks_of_this_node();
    EXPECT_NE(std::ranges::find(here, rank), here.end()) << rank;
    EXPECT_NE(std::ranges::find(nodes, here), nodes.end()) << rank;
    MPI_Finalize();
  });
  EXPECT_EQ(unfinished, 0);
}

TEST(ThreadRanks, AreNamedByTheirNodeAsInTheWorld) {
  expect_nodes(Dealing::kBlocks, {{0, 1, 2}, {3, 4}});
  expect_nodes(Dealing::kRoundRobin, {{0, 2, 4}, {1, 3}});
}

}  // namespace
}  // namespace starling::mpi
