// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Gather around late ranks: every rank's block goes straight to the root, which takes them in any order, so that a late
// rank holds up its own block only. The body is that of gather linear; what differs is when it pays.
// Limits: only where it is known when ranks come. Cost: linear when balanced; one message behind a late rank.
// Source: Faraj, Patarasuk, Yuan, "A Study of Process Arrival Patterns for MPI Collective Operations", IJPP 2008.
#include "collective/choose/list.hpp"
#include "collective/parts/binomial_tree.hpp"

namespace starling::collective {

const Algorithm gather_clairvoyant_algorithm = {
    Operation::kGather,       "clairvoyant",         kPredicted | kByArrival, Order::kRanks, &gather_linear,
    &blocks_around_late_cost, kBlocksAroundLateCost,
};

}  // namespace starling::collective
