// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The late-rank table that a run ends with.
//
// Thread safety: collective over MPI_COMM_WORLD.
#pragma once

#include <string>

namespace starling::pap {

/// Rank 0 prints what all have to say.
void print_from_all(const std::string& lines);

}  // namespace starling::pap
