// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The preconditioned conjugate-gradient method with Jacobi's preconditioner on a distributed matrix; two allreduce
// calls and one halo exchange for each iteration.
// Thread safety: one thread; collective.
// Source: Hestenes and Stiefel, Methods of Conjugate Gradients for Solving Linear Systems, 1952; Saad, Iterative
// Methods for Sparse Linear Systems, 2nd edition, algorithm 9.1.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "communicator.hpp"
#include "distributed_matrix.hpp"

namespace cg {

struct SolverOptions {
  double tolerance = 1e-8;  // of |b - A x| / |b|
  int max_iterations = 10000;
};

struct SolveResult {
  int iterations = 0;
  double relative_residual = 1.0;  // computed from b - A x at the end, not from the recurrence
  std::string failure;             // why the tolerance was not reached; empty when it was

  [[nodiscard]] bool converged() const { return failure.empty(); }
};

// Called on every rank after each iteration with the recurrence's relative residual.
using IterationObserver = std::function<void(int iteration, double relative_residual)>;

// Improves x, the initial guess, until the true residual is within tolerance. All ranks return the same result.
[[nodiscard]] SolveResult solve(DistributedMatrix& matrix, std::span<const double> b, std::span<double> x,
                                const SolverOptions& options, Communicator& comm, const IterationObserver& observe);

// |b - A x| / |b|, from scratch.
[[nodiscard]] double true_relative_residual(DistributedMatrix& matrix, std::span<const double> b,
                                            std::span<const double> x, Communicator& comm);

}  // namespace cg
