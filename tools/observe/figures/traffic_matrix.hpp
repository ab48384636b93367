// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TrafficMatrix: how many messages and bytes each rank has sent to each, and the matrix as a picture of characters.
// Thread safety: value types, pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "observe/figures/job_checks.hpp"
#include "observe/traffic.hpp"

namespace starling::observe {

struct TrafficMatrix {
  explicit TrafficMatrix(std::size_t ranks) : size(ranks), counts(ranks * ranks) {}

  [[nodiscard]] TrafficCount& at(std::size_t from, std::size_t to) { return counts[from * size + to]; }
  [[nodiscard]] const TrafficCount& at(std::size_t from, std::size_t to) const { return counts[from * size + to]; }

  std::size_t size;
  std::vector<TrafficCount> counts;  ///< by sender, then by receiver
};

/// Of a job of so many ranks, as its hosts have told.
[[nodiscard]] TrafficMatrix matrix_of(const JobEvidence& evidence, std::size_t ranks);

/// The lines of a picture that is at most so large: a line for each sender, a character for each receiver, darker for
/// more bytes; several ranks share a line and a character where there is not enough room.
[[nodiscard]] std::vector<std::string> matrix_picture(const TrafficMatrix& matrix, std::size_t columns,
                                                      std::size_t lines);

}  // namespace starling::observe
