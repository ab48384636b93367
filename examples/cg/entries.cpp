// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "entries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

#include "scatter.hpp"

namespace cg {
namespace {

constexpr double kRoundingTolerance = 1e-12;

bool before(const Entry& a, const Entry& b) { return std::tie(a.row, a.column) < std::tie(b.row, b.column); }
bool same_place(const Entry& a, const Entry& b) { return a.row == b.row && a.column == b.column; }

bool nearly_equal(double a, double b) {
  return std::abs(a - b) <= kRoundingTolerance * std::max(std::abs(a), std::abs(b));
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
  std::vector<int> offsets(counts.size(), 0);
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  return offsets;
}

// The mirrored entries that belong into this rank's rows, sorted.
std::vector<Entry> mirrored(const std::vector<Entry>& entries, const RowBlocks& blocks, const Communicator& comm) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<int> send_counts(ranks, 0);
  for (const Entry& e : entries) ++send_counts[static_cast<std::size_t>(blocks.owner(e.column))];
  std::vector<int> receive_counts(ranks, 0);
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, comm.mpi());
  const std::vector<int> send_offsets = offsets_of(send_counts);
  const std::vector<int> receive_offsets = offsets_of(receive_counts);

  std::vector<Entry> sent(entries.size());
  std::vector<int> cursor = send_offsets;
  for (const Entry& e : entries) {
    int& place = cursor[static_cast<std::size_t>(blocks.owner(e.column))];
    sent[static_cast<std::size_t>(place++)] = {e.column, e.row, e.value};
  }
  std::vector<Entry> received(static_cast<std::size_t>(receive_offsets.back() + receive_counts.back()));
  const EntryType type;
  MPI_Alltoallv(sent.data(), send_counts.data(), send_offsets.data(), type.mpi(), received.data(),
                receive_counts.data(), receive_offsets.data(), type.mpi(), comm.mpi());
  std::sort(received.begin(), received.end(), before);
  return received;
}

std::string mismatch(const Entry& here, double there) {
  char text[256];
  std::snprintf(text, sizeof text,
                "the matrix is not symmetric: entry (%lld, %lld) is %g but entry (%lld, %lld) is %g; conjugate "
                "gradients need a symmetric matrix.",
                static_cast<long long>(here.row + 1), static_cast<long long>(here.column + 1), here.value,
                static_cast<long long>(here.column + 1), static_cast<long long>(here.row + 1), there);
  return text;
}

// Walks both sorted lists; an entry that one of them lacks counts as zero there.
std::optional<std::string> first_mismatch(const std::vector<Entry>& entries, const std::vector<Entry>& mirror) {
  auto own = entries.begin();
  auto other = mirror.begin();
  while (own != entries.end() || other != mirror.end()) {
    const bool has_own = own != entries.end() && (other == mirror.end() || !before(*other, *own));
    const bool has_other = other != mirror.end() && (own == entries.end() || !before(*own, *other));
    const Entry& place = has_own ? *own : *other;
    const double own_value = has_own ? own->value : 0.0;
    const double other_value = has_other ? other->value : 0.0;
    if (!nearly_equal(own_value, other_value)) return mismatch({place.row, place.column, own_value}, other_value);
    if (has_own) ++own;
    if (has_other) ++other;
  }
  return std::nullopt;
}

}  // namespace

void sort_and_merge(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), before);
  std::size_t kept = 0;
  for (const Entry& entry : entries) {
    if (kept > 0 && same_place(entries[kept - 1], entry)) {
      entries[kept - 1].value += entry.value;
    } else {
      entries[kept++] = entry;
    }
  }
  entries.resize(kept);
}

void require_symmetric(const std::vector<Entry>& entries, const RowBlocks& blocks, const Communicator& comm) {
  comm.throw_together(first_mismatch(entries, mirrored(entries, blocks, comm)));
}

}  // namespace cg
