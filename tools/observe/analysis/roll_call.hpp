// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The roll-call: what each rank does, a line for ranks that do the same.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/model/snapshot.hpp"

namespace starling::observe {

struct RollCallLine {
  std::vector<std::int32_t> ranks;
  std::string text;                        ///< "waits for 1 in MPI_Recv with tag 7"
  std::optional<std::int64_t> longest_ns;  ///< of these ranks, for how long
};

/// The line with the lowest rank first.
[[nodiscard]] std::vector<RollCallLine> roll_call(const Snapshot& snapshot);

/// The lines below each other: "  0 to 3  wait 41 s in ...", each ended by a newline. Beyond most only their number.
[[nodiscard]] std::string roll_call_text(const Snapshot& snapshot, std::size_t most);

}  // namespace starling::observe
