// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "solver.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace cg {
namespace {

using Vector = std::vector<double>;

double local_dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double norm(std::span<const double> a, Communicator& comm) {
  std::array<double, 1> square = {local_dot(a, a)};
  comm.sum(square);
  return std::sqrt(square[0]);
}

// r = b - A x.
void residual(DistributedMatrix& matrix, std::span<const double> b, std::span<const double> x, std::span<double> r) {
  matrix.multiply(x, r);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
}

// The state of one run of the recurrence; restart() begins it anew from the true residual.
class ConjugateGradient {
 public:
  ConjugateGradient(DistributedMatrix& matrix, std::span<const double> b, std::span<double> x, Communicator& comm)
      : matrix_(matrix), comm_(comm), b_(b), x_(x), r_(x.size()), z_(x.size()), p_(x.size()), q_(x.size()) {}

  // Returns |r|, the true one.
  double restart() {
    residual(matrix_, b_, x_, r_);
    precondition();
    p_ = z_;
    return std::sqrt(r_r_);
  }

  // One iteration; false when the matrix turns out not to be positive definite.
  [[nodiscard]] bool step() {
    matrix_.multiply(p_, q_);
    std::array<double, 1> p_q = {local_dot(p_, q_)};
    comm_.sum(p_q);
    if (!(p_q[0] > 0.0)) return false;
    const double alpha = r_z_ / p_q[0];
    for (std::size_t i = 0; i < p_.size(); ++i) {
      x_[i] += alpha * p_[i];
      r_[i] -= alpha * q_[i];
    }
    const double r_z_before = r_z_;
    precondition();
    const double beta = r_z_ / r_z_before;
    for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = z_[i] + beta * p_[i];
    return true;
  }

  [[nodiscard]] double residual_norm() const { return std::sqrt(r_r_); }

 private:
  // z = r / diagonal, with both dot products in one allreduce.
  void precondition() {
    const std::span<const double> diagonal = matrix_.diagonal();
    for (std::size_t i = 0; i < r_.size(); ++i) z_[i] = r_[i] / diagonal[i];
    std::array<double, 2> dots = {local_dot(r_, z_), local_dot(r_, r_)};
    comm_.sum(dots);
    r_z_ = dots[0];
    r_r_ = dots[1];
  }

  DistributedMatrix& matrix_;
  Communicator& comm_;
  std::span<const double> b_;
  std::span<double> x_;
  Vector r_, z_, p_, q_;
  double r_z_ = 0.0;
  double r_r_ = 0.0;
};

}  // namespace

double true_relative_residual(DistributedMatrix& matrix, std::span<const double> b, std::span<const double> x,
                              Communicator& comm) {
  Vector r(b.size());
  residual(matrix, b, x, r);
  const double b_norm = norm(b, comm);
  return b_norm > 0.0 ? norm(r, comm) / b_norm : norm(r, comm);
}

SolveResult solve(DistributedMatrix& matrix, std::span<const double> b, std::span<double> x,
                  const SolverOptions& options, Communicator& comm, const IterationObserver& observe) {
  const double b_norm = norm(b, comm);
  const double target = options.tolerance * b_norm;
  ConjugateGradient iteration(matrix, b, x, comm);
  SolveResult result;
  double last_true_norm = std::numeric_limits<double>::infinity();

  // The recurrence's residual drifts from the true one. Whenever it claims success the true one decides, and if that
  // is still too large the recurrence starts again from it, as long as this helps.
  for (;;) {
    const double true_norm = iteration.restart();
    if (true_norm <= target) break;
    if (!std::isfinite(true_norm)) result.failure = "the residual is no longer a finite number";
    if (true_norm >= last_true_norm) result.failure = "the tolerance is below what double precision can reach here";
    last_true_norm = true_norm;
    while (result.converged() && iteration.residual_norm() > target) {
      if (result.iterations == options.max_iterations) {
        result.failure = "the limit of " + std::to_string(options.max_iterations) + " iterations is reached";
      } else if (!iteration.step()) {
        result.failure = "the matrix is not positive definite (p'Ap is not positive); --shift=S solves A + S I";
      } else {
        observe(++result.iterations, iteration.residual_norm() / b_norm);
      }
    }
    if (!result.converged()) break;
  }
  result.relative_residual = true_relative_residual(matrix, b, x, comm);
  return result;
}

}  // namespace cg
