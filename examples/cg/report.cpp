// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <cstdio>

namespace cg {

Timing gather_timing(double read_s, double solve_s, double communicate_s, const Communicator& comm) {
  Timing timing;
  timing.read_s = comm.largest(read_s);
  timing.solve_s = comm.largest(solve_s);
  timing.communicate_mean_s = comm.total(communicate_s) / comm.size();
  timing.communicate_max_s = comm.largest(communicate_s);
  return timing;
}

void print_summary(const Options& options, const DistributedMatrix& matrix, int ranks, const SolveResult& result,
                   double largest_error, const Timing& timing) {
  const double share = timing.solve_s > 0.0 ? 100.0 * timing.communicate_mean_s / timing.solve_s : 0.0;
  std::printf("matrix         %s\n", options.matrix_path.c_str());
  std::printf("size           %lld rows, %lld nonzeros, on %d ranks\n", static_cast<long long>(matrix.rows()),
              static_cast<long long>(matrix.nonzeros()), ranks);
  std::printf("iterations     %d\n", result.iterations);
  std::printf("residual       %.3e (true, relative; tolerance %.1e)\n", result.relative_residual,
              options.solver.tolerance);
  std::printf("error          %.3e (largest, against the known solution)\n", largest_error);
  std::printf("time           %.3f s solving, %.3f s reading\n", timing.solve_s, timing.read_s);
  std::printf("communication  %.3f s (%.0f %% of solving; mean of the ranks, largest %.3f s)\n",
              timing.communicate_mean_s, share, timing.communicate_max_s);
  if (result.converged()) {
    std::printf("result         solved\n");
  } else {
    std::printf("result         NOT solved: %s\n", result.failure.c_str());
  }
  std::fflush(stdout);
}

}  // namespace cg
