// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The reference: the algorithm as it is told, with linear searches and a priority queue.
//
// Source: the paper's listing 2 (schedule.hpp), with its decisions on what the pseudocode leaves open: a half-open
// window (availability < t + d), the state P' apart, idle rounds skipped.
#pragma once

#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"

namespace starling::arrival {

void run_linear(const Pattern& pattern, RoundSink& sink);

}  // namespace starling::arrival
