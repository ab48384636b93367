// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicator: the few collective calls that the solver needs, with the time spent in communication counted.
// Thread safety: one thread. Ownership: borrows the MPI communicator, which must outlive it.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <string>

namespace cg {

class Communicator {
 public:
  explicit Communicator(MPI_Comm comm);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }
  [[nodiscard]] MPI_Comm mpi() const { return comm_; }

  // Replaces the values by their sums over all ranks.
  void sum(std::span<double> values);

  // One value over all ranks, without counting the time.
  [[nodiscard]] double total(double value) const;
  [[nodiscard]] double largest(double value) const;

  // Every rank brings its error or nothing; if any rank has one, all throw the InputError of the lowest such rank.
  void throw_together(const std::optional<std::string>& error) const;

  // Runs the call and counts its time as communication.
  template <typename Call>
  void timed(Call&& call) {
    const double start = MPI_Wtime();
    call();
    seconds_ += MPI_Wtime() - start;
  }

  [[nodiscard]] double seconds_communicating() const { return seconds_; }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  int size_ = 1;
  double seconds_ = 0.0;
};

}  // namespace cg
