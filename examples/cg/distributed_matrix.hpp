// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// DistributedMatrix: the rows of one rank in two compressed-row parts: columns of its own rows and columns of other
// ranks' rows (ghosts), so that the product of the first part overlaps with the halo exchange.
// Thread safety: one thread; construction and multiply are collective.
// Invariants: vectors hold local_rows() elements, the rank's block of the global vector.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "communicator.hpp"
#include "halo.hpp"
#include "scatter.hpp"

namespace cg {

class DistributedMatrix {
 public:
  // Takes the entries from the scattered matrix and adds `shift` to the diagonal. Throws InputError on every rank
  // when the matrix is not symmetric or a diagonal element is not positive.
  DistributedMatrix(ScatteredMatrix scattered, double shift, Communicator& comm);

  [[nodiscard]] std::int64_t rows() const { return blocks_.rows(); }
  [[nodiscard]] std::int64_t nonzeros() const { return nonzeros_; }
  [[nodiscard]] std::int64_t first_row() const { return first_row_; }
  [[nodiscard]] std::size_t local_rows() const { return diagonal_.size(); }
  [[nodiscard]] std::span<const double> diagonal() const { return diagonal_; }

  // y = A x.
  void multiply(std::span<const double> x, std::span<double> y);

 private:
  struct CompressedRows {
    std::vector<std::int64_t> row_start;
    std::vector<int> column;
    std::vector<double> value;

    // y = y + this * x, or y = this * x.
    void multiply_add(std::span<const double> x, std::span<double> y) const;
    void multiply(std::span<const double> x, std::span<double> y) const;
  };

  void add_shift(std::vector<Entry>& entries, double shift) const;
  void split(const std::vector<Entry>& entries, const std::vector<std::int64_t>& ghost_rows);
  void take_diagonal(const std::vector<Entry>& entries, const Communicator& comm);
  [[nodiscard]] bool is_own(std::int64_t row) const { return row >= first_row_ && row < end_row_; }

  RowBlocks blocks_;
  std::int64_t first_row_;
  std::int64_t end_row_;
  std::int64_t nonzeros_ = 0;
  CompressedRows own_;
  CompressedRows ghost_;
  std::vector<double> diagonal_;
  std::unique_ptr<Halo> halo_;
};

}  // namespace cg
