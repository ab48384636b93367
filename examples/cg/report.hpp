// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The summary that the solver prints at the end.
// Thread safety: pure; collective where it says so.
#pragma once

#include <span>

#include "communicator.hpp"
#include "distributed_matrix.hpp"
#include "options.hpp"
#include "solver.hpp"

namespace cg {

struct Timing {
  double read_s = 0.0;
  double solve_s = 0.0;
  double communicate_mean_s = 0.0;  // within solve_s, mean of the ranks
  double communicate_max_s = 0.0;
};

// Reduces each rank's own times to the job's. Collective.
[[nodiscard]] Timing gather_timing(double read_s, double solve_s, double communicate_s, const Communicator& comm);

void print_summary(const Options& options, const DistributedMatrix& matrix, int ranks, const SolveResult& result,
                   double largest_error, const Timing& timing);

}  // namespace cg
