// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "distributed_matrix.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "entries.hpp"

namespace cg {
namespace {

double row_product(std::span<const int> column, std::span<const double> value, std::span<const double> x) {
  double sum = 0.0;
  for (std::size_t k = 0; k < column.size(); ++k) sum += value[k] * x[static_cast<std::size_t>(column[k])];
  return sum;
}

std::vector<std::int64_t> ghost_rows_of(const std::vector<Entry>& entries, std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> rows;
  for (const Entry& e : entries) {
    if (e.column < first || e.column >= end) rows.push_back(e.column);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace

DistributedMatrix::DistributedMatrix(ScatteredMatrix scattered, double shift, Communicator& comm)
    : blocks_(scattered.blocks), first_row_(blocks_.begin(comm.rank())), end_row_(blocks_.end(comm.rank())) {
  std::vector<Entry>& entries = scattered.entries;
  add_shift(entries, shift);
  sort_and_merge(entries);
  if (scattered.header.symmetry == Symmetry::kGeneral) require_symmetric(entries, blocks_, comm);
  take_diagonal(entries, comm);
  const std::vector<std::int64_t> ghost_rows = ghost_rows_of(entries, first_row_, end_row_);
  split(entries, ghost_rows);
  nonzeros_ = static_cast<std::int64_t>(comm.total(static_cast<double>(entries.size())));
  halo_ = std::make_unique<Halo>(ghost_rows, blocks_, comm);
}

void DistributedMatrix::add_shift(std::vector<Entry>& entries, double shift) const {
  if (shift == 0.0) return;
  for (std::int64_t row = first_row_; row < end_row_; ++row) entries.push_back({row, row, shift});
}

void DistributedMatrix::take_diagonal(const std::vector<Entry>& entries, const Communicator& comm) {
  diagonal_.assign(static_cast<std::size_t>(end_row_ - first_row_), 0.0);
  for (const Entry& e : entries) {
    if (e.row == e.column) diagonal_[static_cast<std::size_t>(e.row - first_row_)] = e.value;
  }
  std::optional<std::string> error;
  const auto bad = std::find_if(diagonal_.begin(), diagonal_.end(), [](double d) { return !(d > 0.0); });
  if (bad != diagonal_.end()) {
    const auto row = first_row_ + (bad - diagonal_.begin()) + 1;
    error = "diagonal element " + std::to_string(row) + " is " + std::to_string(*bad) +
            ", so the matrix is not positive definite and conjugate gradients cannot solve it; --shift=S solves "
            "A + S I instead.";
  }
  comm.throw_together(error);
}

void DistributedMatrix::split(const std::vector<Entry>& entries, const std::vector<std::int64_t>& ghost_rows) {
  const auto ghosts = static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(), [&](const Entry& e) { return !is_own(e.column); }));
  own_.column.reserve(entries.size() - ghosts);
  own_.value.reserve(entries.size() - ghosts);
  ghost_.column.reserve(ghosts);
  ghost_.value.reserve(ghosts);
  auto next = entries.begin();
  for (std::int64_t row = first_row_; row < end_row_; ++row) {
    own_.row_start.push_back(static_cast<std::int64_t>(own_.column.size()));
    ghost_.row_start.push_back(static_cast<std::int64_t>(ghost_.column.size()));
    for (; next != entries.end() && next->row == row; ++next) {
      CompressedRows& part = is_own(next->column) ? own_ : ghost_;
      const std::int64_t column =
          is_own(next->column)
              ? next->column - first_row_
              : std::lower_bound(ghost_rows.begin(), ghost_rows.end(), next->column) - ghost_rows.begin();
      part.column.push_back(static_cast<int>(column));
      part.value.push_back(next->value);
    }
  }
  own_.row_start.push_back(static_cast<std::int64_t>(own_.column.size()));
  ghost_.row_start.push_back(static_cast<std::int64_t>(ghost_.column.size()));
}

void DistributedMatrix::multiply(std::span<const double> x, std::span<double> y) {
  halo_->start(x);
  own_.multiply(x, y);
  halo_->finish();
  ghost_.multiply_add(halo_->ghosts(), y);
}

void DistributedMatrix::CompressedRows::multiply(std::span<const double> x, std::span<double> y) const {
  for (std::size_t row = 0; row < y.size(); ++row) {
    const auto begin = static_cast<std::size_t>(row_start[row]);
    const auto count = static_cast<std::size_t>(row_start[row + 1]) - begin;
    y[row] = row_product({column.data() + begin, count}, {value.data() + begin, count}, x);
  }
}

void DistributedMatrix::CompressedRows::multiply_add(std::span<const double> x, std::span<double> y) const {
  for (std::size_t row = 0; row < y.size(); ++row) {
    const auto begin = static_cast<std::size_t>(row_start[row]);
    const auto count = static_cast<std::size_t>(row_start[row + 1]) - begin;
    if (count > 0) y[row] += row_product({column.data() + begin, count}, {value.data() + begin, count}, x);
  }
}

}  // namespace cg
