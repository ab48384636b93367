// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a call says of its prediction, whichever way it went: whether whoever came last was expected last.
//
// Thread safety: pure.
#pragma once

#include <span>

#include "arrival/schedule/pattern.hpp"

namespace starling::arrival {

/// What evidence() says of a prediction that was wrong.
inline constexpr double kRefuted = -1;

/// In bits: the base-2 logarithm of how many processes there are for each of those that were expected as late as the
/// last. Chance alone is right as often as that number says, so that bits of different numbers of processes count
/// alike. kRefuted when the last was expected among the first half, or nobody was late; 0 when nothing was predicted:
/// no times, or arrivals closer than `tolerance_s`, below which times count as equal.
[[nodiscard]] double evidence(std::span<const Ticks> predicted, std::span<const double> entered_s, double tolerance_s);

/// From the first to the last.
[[nodiscard]] double spread_s(std::span<const double> entered_s);

}  // namespace starling::arrival
