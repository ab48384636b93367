// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One pairing heap for each segment holds the free processes that still have it, the earliest on top. A process that
// sends leaves all its heaps and comes back when the round ends (the paper's section 4.1 and its figure in section 5).
//
// Source: D. Marendic et al. (schedule.hpp); the heaps are Boost's.
#pragma once

#include <cstdint>

#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

void run_pairing_heaps(const Pattern& pattern, RoundSink& sink);

/// How often the heaps of such a run take a process in or let one go.
std::int64_t heap_operations(const Pattern& pattern);

}  // namespace starling::arrival
