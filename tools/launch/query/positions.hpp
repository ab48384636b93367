// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where ranks are in their programs: QueryKind::kPositions. A helper reads the debug information, and stops the rank
// for some milliseconds meanwhile.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "launch/query/query.hpp"
#include "launch/query/responder.hpp"

namespace starling::launch {

struct RankPosition {
  std::int32_t rank = 0;
  std::string position;  ///< "solver.cpp:88"; empty: not known
  std::string problem;   ///< why not
};

/// Of some ranks: of more than kMostPositions the first are looked at.
inline constexpr std::size_t kMostPositions = 4;
[[nodiscard]] Query positions_query(std::vector<std::int32_t> ranks, std::int64_t patience_ns);
[[nodiscard]] std::vector<RankPosition> positions_of(const Answers& answers);

void respond_with_positions(EventLoop& loop, const NodeView& node, const Query& query, Reply reply);

}  // namespace starling::launch
