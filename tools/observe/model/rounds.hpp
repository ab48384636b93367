// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Rounds: nodes are not looked at in one moment, so what a rank does now and what another did then may never have been
// true together. Two rounds of looks, of which the second begins when all of the first have ended, have a moment
// between them that all of them enclose.
// Thread safety: pure functions.
#pragma once

#include "observe/model/snapshot.hpp"

namespace starling::observe {

/// What all ranks did at a moment between two rounds: a rank that has done something since the earlier round goes on,
/// whatever it does now. later: as merged of all its nodes. Nothing was under way to a rank that had taken as many
/// packets by the earlier round as are given for it by the later one (RankSnapshot::all_arrived).
[[nodiscard]] Snapshot between_rounds(const Snapshot& earlier, Snapshot later);

}  // namespace starling::observe
