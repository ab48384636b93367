// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which ranks are on the node of a rank, in the words of launchers. Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/id.hpp"
#include "base/status.hpp"

namespace starling::bootstrap {

/// From PMI_process_mapping: "(vector,(first node,nodes,ranks on each),...)", whose blocks are repeated until all ranks
/// have a node. Ascending.
[[nodiscard]] Result<std::vector<WorldRank>> ranks_on_node_of(WorldRank rank, std::int32_t size,
                                                              std::string_view mapping);

/// From PMIX_LOCAL_PEERS: "0,2,5". Ascending.
[[nodiscard]] Result<std::vector<WorldRank>> ranks_of_list(std::string_view list);

}  // namespace starling::bootstrap
