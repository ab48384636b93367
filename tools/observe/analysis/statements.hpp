// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Statements: which ranks wait directly for ranks that do not wait themselves, each said in a sentence.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/analysis/rank_graph.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

struct Statement {
  std::string wait;   ///< "0 waits for 1 in MPI_Recv with tag 7", "rank 1 is missing in MPI_Barrier number 2 on ..."
  std::string doing;  ///< what the culprits do: "1 has exited", "it has exited"
  std::vector<std::int32_t> waiters;
  std::vector<std::int32_t> culprits;
};

/// Which ranks are to blame: those that have ended, or all that do not wait.
enum class Blame : std::uint8_t { kGone, kNotWaiting };

/// The one that concerns most waiters first.
[[nodiscard]] std::vector<Statement> statements(const Snapshot& snapshot, const RankGraph& graph, Blame blame);

}  // namespace starling::observe
