// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A call that goes on behind a request, and of which ranks keep account of when they came and when it ended.
//
// Thread safety: the holder of the world's lock.
#pragma once

#include <cstdint>
#include <optional>

#include "collective/arguments/prediction.hpp"
#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/late/arrival_tracker.hpp"

namespace starling::collective {

/// The call has entered the tracker under this number, and leaves it however the task ends.
Task run_watched(Call& call, Arguments arguments, std::optional<ArrivalPrediction> prediction,
                 const Algorithm& algorithm, ArrivalTracker& tracker, std::uint64_t number);

}  // namespace starling::collective
