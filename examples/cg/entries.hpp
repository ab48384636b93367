// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold of a rank's entries before they become a matrix: sorted, merged, symmetric.
// Thread safety: one thread; require_symmetric is collective.
#pragma once

#include <vector>

#include "communicator.hpp"
#include "matrix_market.hpp"
#include "row_blocks.hpp"

namespace cg {

// Sorts by row and column and adds up entries that name the same place.
void sort_and_merge(std::vector<Entry>& entries);

// Throws InputError on every rank unless each entry has its equal (to rounding) across the diagonal. The entries must
// be sorted and merged. Each rank sends its entries to the owners of the mirrored places, which compare.
void require_symmetric(const std::vector<Entry>& entries, const RowBlocks& blocks, const Communicator& comm);

}  // namespace cg
