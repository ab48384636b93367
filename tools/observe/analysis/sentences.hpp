// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Sentences: how a diagnosis is said.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/analysis/collective_check.hpp"
#include "observe/analysis/rank_graph.hpp"
#include "observe/model/snapshot.hpp"

namespace starling::observe {

/// "MPI_COMM_WORLD", "'solver'", "the communicator of 0 to 3": by its context and a member.
[[nodiscard]] std::string communicator_text(const Snapshot& snapshot, std::uint32_t context, std::int32_t member);

/// The call in which a rank waits: "MPI_Recv with tag 7", "MPI_Barrier on 'solver'".
[[nodiscard]] std::string wait_text(const Snapshot& snapshot, std::int32_t rank);

/// What a rank that does not wait does: "has been outside MPI for 41 s, at solver.cpp:88", "has exited".
[[nodiscard]] std::string doing_text(const RankSnapshot& rank);

/// "waits in MPI_Recv" of several: "wait in MPI_Recv".
[[nodiscard]] std::string plural(const std::string& doing);

/// What ranks do: "0 to 2 are outside MPI and 3 is in MPI_Send".
[[nodiscard]] std::string doing_of_text(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks);
/// The same of ranks that have just been named: "it has exited".
[[nodiscard]] std::string doing_of_named_text(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks);

/// "0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7": ranks that wait for each other, and for nobody else.
[[nodiscard]] std::string circle_text(const Snapshot& snapshot, const RankGraph& graph,
                                      const std::vector<std::int32_t>& ranks);

/// "3 and 4 wait for them in MPI_Barrier"; empty where there are none. leaders: those that have just been named.
[[nodiscard]] std::string followers_text(const Snapshot& snapshot, const std::vector<std::int32_t>& ranks,
                                         const std::vector<std::int32_t>& leaders);

/// "ranks 0 to 3 called MPI_Bcast with root 0, rank 4 with root 1"
[[nodiscard]] std::string mismatch_text(const Snapshot& snapshot, const Mismatch& mismatch);

/// "rank 2 is missing in MPI_Allreduce number 51 on 'solver'"
[[nodiscard]] std::string missing_text(const Snapshot& snapshot, const CollectiveKey& key,
                                       const std::vector<std::int32_t>& missing);

/// "0 waits for 1 in MPI_Recv with tag 7": waiters that wait for the same ranks in the same way.
[[nodiscard]] std::string late_text(const Snapshot& snapshot, const std::vector<std::int32_t>& waiters, bool for_one,
                                    const std::vector<std::int32_t>& late);

}  // namespace starling::observe
