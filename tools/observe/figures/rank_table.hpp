// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// RankTable: what each rank does and uses, a row for each, sorted, and as lines of text.
// Thread safety: value types, pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/figures/rank_figures.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

struct RankRow {
  std::int32_t rank = 0;
  std::string what;  ///< "MPI_Recv with tag 7, for 1", "outside MPI"
  std::optional<Since> since;
  std::size_t waiters = 0;  ///< ranks that wait for it
  RankFigures figures;
};

/// A row for each rank of the snapshot. figures and since: by rank.
[[nodiscard]] std::vector<RankRow> rank_rows(const Snapshot& snapshot, const std::vector<RankFigures>& figures,
                                             const std::vector<std::optional<Since>>& since);

enum class RankOrder : std::uint8_t { kLate, kRank, kTime, kMpi, kCalls, kBytes, kCpu, kMemory };

/// The first in the order come first: the latest, the lowest rank, the longest, the most. Late are those that others
/// wait for, most waiters first; then come those that wait longest.
void sort_rows(std::vector<RankRow>& rows, RankOrder order, bool reversed);

/// The heading, and a row below it; without an end of line. Columns that are of less use are left out where there
/// is little room; width 0: whole.
[[nodiscard]] std::string table_heading(std::size_t width);
[[nodiscard]] std::string table_line(const RankRow& row, std::size_t width);

/// "1.2 k", "34 M": four characters or less, and the unit's.
[[nodiscard]] std::string short_number(double value);

/// The text without characters that would disturb a terminal, and no longer than width (0: as long as it is).
[[nodiscard]] std::string printable(const std::string& text, std::size_t width);

/// What the ranks do together: "62 % of the time in MPI, 3.1 k messages and 12 MB sent a second, 7.8 cores used".
[[nodiscard]] std::string summary_text(const std::vector<RankRow>& rows);

}  // namespace starling::observe
