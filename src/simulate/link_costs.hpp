// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What messages cost between two ranks of a simulated job, measured as `starling tune --host` does, and what follows
// from the costs of a node's memory: so that the choice of algorithms knows the platform.
// Thread safety: SimGrid runs one rank at a time.
#pragma once

#include <string>

#include "simulate/memory_costs.hpp"
#include "tuning/network.hpp"

namespace starling::simulate {

/// What ranks 0 and 1 of a job of two do; rank 0 gets the times.
void measure_link(int rank, tuning::PairTimes& times);

/// The constants of a node, as words for STARLING_TUNING.
[[nodiscard]] std::string node_costs(const MemoryCosts& memory);

}  // namespace starling::simulate
