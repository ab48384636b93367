// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/handles.hpp"

#include <mutex>
#include <set>

namespace starling::fortran {

template <>
Kept<MPI_Datatype>::Kept(const int* numbers, int count) {
  static std::mutex lock;
  static std::set<std::vector<MPI_Datatype>> all;
  std::vector<MPI_Datatype> types;
  for (int i = 0; i < count; ++i) types.push_back(from<MPI_Datatype>(numbers[i]));
  const std::lock_guard guard(lock);
  // The library only reads them.
  data_ = const_cast<MPI_Datatype*>(all.insert(std::move(types)).first->data());
}

int neighbors(MPI_Comm comm, Neighbors side) {
  int kind = MPI_UNDEFINED;
  int count = 0;
  if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS) return 0;
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &count);
    return 2 * count;
  }
  if (kind == MPI_GRAPH) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &count);
  } else if (kind == MPI_DIST_GRAPH) {
    int sources = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &sources, &count, &weighted);
    if (side == Neighbors::kSources) count = sources;
  }
  return count;
}

int peers(MPI_Comm comm, bool given) {
  int count = 0;
  int is_inter = 0;
  if (!given || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return 0;
  if (is_inter != 0) {
    PMPI_Comm_remote_size(comm, &count);
  } else {
    PMPI_Comm_size(comm, &count);
  }
  return count;
}

bool is_root(MPI_Comm comm, int root) {
  int rank = MPI_PROC_NULL;
  int is_inter = 0;
  if (root < 0 || PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return root == MPI_ROOT;
  return is_inter == 0 && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

}  // namespace starling::fortran
