// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Halo: the communication plan of the matrix-vector product. Each rank knows once and for all which of its vector
// elements each neighbour needs and where the elements it needs itself come from; every product then moves exactly
// those, with persistent requests.
// Thread safety: one thread. Ownership: the requests point into the object's own buffers, so it does not move.
// Invariants: start() and finish() alternate; ghosts() is valid from finish() to the next start().
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "communicator.hpp"
#include "row_blocks.hpp"

namespace cg {

class Halo {
 public:
  // ghost_rows: the rows of other ranks that this rank needs, ascending, each once. Collective.
  Halo(const std::vector<std::int64_t>& ghost_rows, const RowBlocks& blocks, Communicator& comm);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  void start(std::span<const double> own);
  void finish();

  // The elements of the ghost rows, in the order of ghost_rows.
  [[nodiscard]] std::span<const double> ghosts() const { return ghosts_; }

 private:
  struct Neighbour {
    int rank;
    int offset;
    int count;
  };

  void learn_wanted_rows(const std::vector<std::int64_t>& ghost_rows, const RowBlocks& blocks);
  void create_requests();

  Communicator& comm_;
  std::vector<Neighbour> sources_;
  std::vector<Neighbour> targets_;
  std::vector<int> sent_rows_;
  std::vector<double> sent_;
  std::vector<double> ghosts_;
  std::vector<MPI_Request> requests_;
};

}  // namespace cg
