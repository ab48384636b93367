// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Messages under way among ranks of which only the calls are known.
// Thread safety: pure functions.
#pragma once

#include "observe/model/snapshot.hpp"

namespace starling::observe {

/// Marks the sends and receives of waits that face each other, with one tag on one communicator: the message may be
/// moving. What is not known of them counts as fitting.
void mark_messages_under_way(Snapshot& snapshot);

}  // namespace starling::observe
