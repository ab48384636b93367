// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where elements are, told to their homes by all at once: where processes have other ranks than before.
//
// **Thread safety**: none. **Invariants**: nothing is under way, and each element is on one process.
#pragma once

namespace starling::array::detail {

class Arrays;
class Host;

/// Collective over the session. False where a call of MPI failed.
bool tell_homes(Host& host, const Arrays& arrays);

}  // namespace starling::array::detail
