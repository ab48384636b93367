// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// An independent judge of schedules: it shares no code with the methods and knows only what a right schedule must do,
// not how one is found.
//
// Thread safety: pure functions.
#pragma once

#include "arrival/schedule/pattern.hpp"
#include "arrival/schedule/schedule.hpp"
#include "base/status.hpp"

namespace starling::arrival {

/// Checks that every contribution reaches the root exactly once; that in each round a process sends at most one segment
/// and receives at most one; that nothing is sent on in the round in which it was received; that nobody takes part
/// before it has arrived; and that rounds and indices are in order. The message says what is wrong first.
Status validate(const Pattern& pattern, const Schedule& schedule);

}  // namespace starling::arrival
