// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Runs Worlds as threads of one process over one segment.
// Thread safety: run_worlds blocks until all ranks have finished.
#pragma once

#include <functional>

#include "world/world.hpp"

namespace starling::world {

/// body gets the World of its rank, which is then finalised; after_finalize sees it once more. Returns how many ranks
/// had no World or could not finalise it, 0 when all went well.
int run_worlds(
    int ranks, const std::function<void(World&)>& body,
    const std::function<void(World&)>& after_finalize = [](World& /*world*/) {});

}  // namespace starling::world
