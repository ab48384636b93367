// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rank 0 reads the matrix file and deals its entries out to the ranks that own their rows. Rank 0 holds only its own
// rows and one short buffer for each other rank, whatever the size of the file.
// Thread safety: one thread; collective over the communicator.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "communicator.hpp"
#include "matrix_market.hpp"
#include "row_blocks.hpp"

namespace cg {

// The rows of one rank as they came from the file; symmetric files have been unfolded to both triangles.
struct ScatteredMatrix {
  MatrixMarketHeader header;
  RowBlocks blocks;
  std::vector<Entry> entries;
};

// An MPI datatype for Entry, freed with the object. All ranks run on one kind of machine, so bytes do.
class EntryType {
 public:
  EntryType();
  ~EntryType();
  EntryType(const EntryType&) = delete;
  EntryType& operator=(const EntryType&) = delete;
  [[nodiscard]] MPI_Datatype mpi() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Throws InputError on every rank when the file cannot be used.
[[nodiscard]] ScatteredMatrix read_and_scatter(const std::string& path, const Communicator& comm);

}  // namespace cg
