// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A distributed conjugate-gradient solver for symmetric Matrix Market files, on <mpi.h> only.
// See docs/howto/cg.md.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "communicator.hpp"
#include "distributed_matrix.hpp"
#include "input_error.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "scatter.hpp"
#include "solver.hpp"

namespace {

enum ExitStatus : int { kSolved = 0, kNotSolved = 1, kBadInput = 2, kBroken = 3 };

// Depends on the global row alone, so that the system is the same for any number of ranks.
double known_solution(std::int64_t row) { return 1.0 + 0.5 * std::sin(static_cast<double>(row)); }

cg::ProgressOptions progress_options(const cg::Options& options, bool is_root) {
  const bool on_terminal = isatty(STDOUT_FILENO) != 0;
  cg::ProgressOptions out;
  out.plain_every = options.progress_every;
  out.tolerance = options.solver.tolerance;
  if (!is_root) {
    out.style = cg::ProgressStyle::kNone;
  } else if (options.progress == cg::ProgressChoice::kAlways ||
             (options.progress == cg::ProgressChoice::kAuto && on_terminal)) {
    out.style = cg::ProgressStyle::kUpdating;
  }
  return out;
}

int run(const cg::Options& options, cg::Communicator& comm) {
  const double start_s = MPI_Wtime();
  cg::DistributedMatrix matrix(cg::read_and_scatter(options.matrix_path, comm), options.shift, comm);
  const double read_s = MPI_Wtime() - start_s;

  std::vector<double> known(matrix.local_rows());
  for (std::size_t i = 0; i < known.size(); ++i) {
    known[i] = known_solution(matrix.first_row() + static_cast<std::int64_t>(i));
  }
  std::vector<double> b(known.size());
  matrix.multiply(known, b);

  std::vector<double> x(known.size(), 0.0);
  cg::Progress progress(progress_options(options, comm.is_root()), stdout);
  const double communicated_before_s = comm.seconds_communicating();
  const double solve_start_s = MPI_Wtime();
  const cg::SolveResult result =
      cg::solve(matrix, b, x, options.solver, comm,
                [&](int iteration, double relative_residual) { progress.show(iteration, relative_residual); });
  const double solve_s = MPI_Wtime() - solve_start_s;
  const double communicate_s = comm.seconds_communicating() - communicated_before_s;
  progress.finish();

  double error = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(x[i] - known[i]));
  error = comm.largest(error);
  const cg::Timing timing = cg::gather_timing(read_s, solve_s, communicate_s, comm);
  if (comm.is_root()) cg::print_summary(options, matrix, comm.size(), result, error, timing);
  return result.converged() && result.relative_residual <= options.solver.tolerance ? kSolved : kNotSolved;
}

int parse_and_run(int argc, char** argv, cg::Communicator& comm) {
  try {
    const cg::Options options = cg::parse_options(argc, argv);
    if (options.help) {
      if (comm.is_root()) std::fputs(cg::usage(), stdout);
      return kSolved;
    }
    return run(options, comm);
  } catch (const cg::InputError& e) {
    // Thrown on every rank at once, so that all of them leave together.
    if (comm.is_root()) std::fprintf(stderr, "cg: %s\n", e.what());
    return kBadInput;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = kBroken;
  try {
    cg::Communicator comm(MPI_COMM_WORLD);
    status = parse_and_run(argc, argv, comm);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cg: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, kBroken);
  }
  MPI_Finalize();
  return status;
}
