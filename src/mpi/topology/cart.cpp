// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/topology/cart.hpp"

namespace starling::mpi {

int rank_at(const CartTopology& cart, const int* coords) {
  int rank = 0;
  for (std::size_t dim = 0; dim < cart.dims.size(); ++dim) {
    int coord = coords[dim];
    if (coord < 0 || coord >= cart.dims[dim]) {
      if (cart.periods[dim] == 0) return MPI_PROC_NULL;
      coord = (coord % cart.dims[dim] + cart.dims[dim]) % cart.dims[dim];
    }
    rank = rank * cart.dims[dim] + coord;
  }
  return rank;
}

int rank_beside(const CartTopology& cart, std::size_t dim, int steps) {
  std::vector<int> place = cart.coords;
  place[dim] += steps;
  return rank_at(cart, place.data());
}

}  // namespace starling::mpi
