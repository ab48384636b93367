// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a thread that a case starts becomes a thread of the case's rank. Where a rank is a process there is nothing to
// do; where it is a thread the binary's main file provides the way.
#pragma once

#include <functional>

#include "support/cases.hpp"

namespace starling::tests {

/// Called by a thread of the rank; the result runs its argument on another thread on behalf of that rank.
std::function<void(const std::function<void()>&)> rank_adopter(RanksAre ranks_are);

}  // namespace starling::tests
