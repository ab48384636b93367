// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent neighbourhood collectives use the counts, displacements and datatypes that they were
// given, whatever becomes of the arrays once the call has returned (MPI-5.0, 8.8 and 8.9).
#include "mpi/collective/lent_arrays.hpp"

namespace starling::tests {
namespace {

struct Around {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources;
  std::vector<int> destinations;
};

void try_allgatherv(Context& world, const Around& around) {
  const auto share = [](int rank) { return pairs_between(rank, 1); };
  LentBlocks blocks;
  for (const int source : around.sources) blocks.add(share(source));
  const std::vector<int> mine = values_of(world.rank, 2 * share(world.rank) + 1);
  const auto body = [&](auto function, auto& lent, int* received, auto... tail) {
    function(mine.data(), share(world.rank), lent.dense_pair(), received, lent.counts(blocks.counts),
             lent.displs(blocks.places), lent.spread_pair(), around.comm, tail...);
  };
  compare_all_forms(world, "MPI_Neighbor_allgatherv",
                    Trio{MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init},
                    Trio{MPI_Neighbor_allgatherv_c, MPI_Ineighbor_allgatherv_c, MPI_Neighbor_allgatherv_init_c},
                    blocks.room(), body);
}

void try_alltoall(Context& world, const Around& around) {
  LentBlocks out;
  LentBlocks in;
  for (const int destination : around.destinations) out.add(pairs_between(world.rank, destination));
  for (const int source : around.sources) in.add(pairs_between(source, world.rank));
  const std::vector<int> all = out.values(world.rank);
  const auto v = [&](auto function, auto& lent, int* received, auto... tail) {
    function(all.data(), lent.counts(out.counts), lent.displs(out.places), lent.dense_pair(), received,
             lent.counts(in.counts), lent.displs(in.places), lent.spread_pair(), around.comm, tail...);
  };
  compare_all_forms(world, "MPI_Neighbor_alltoallv",
                    Trio{MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init},
                    Trio{MPI_Neighbor_alltoallv_c, MPI_Ineighbor_alltoallv_c, MPI_Neighbor_alltoallv_init_c}, in.room(),
                    v);
  const auto w = [&](auto function, auto& lent, int* received, auto... tail) {
    function(all.data(), lent.counts(out.counts), lent.addresses(out.byte_places(2)),
             lent.dense_pairs(out.counts.size()), received, lent.counts(in.counts), lent.addresses(in.byte_places(4)),
             lent.spread_pairs(in.counts.size()), around.comm, tail...);
  };
  compare_all_forms(world, "MPI_Neighbor_alltoallw",
                    Trio{MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init},
                    Trio{MPI_Neighbor_alltoallw_c, MPI_Ineighbor_alltoallw_c, MPI_Neighbor_alltoallw_init_c}, in.room(),
                    w);
}

MPI_CASE("neighbourhood collectives use the arrays as they were at the call", 1, 8) {
  Around around;
  for (const int step : {0, 1, 3}) {
    around.destinations.push_back((world.rank + step) % world.size);
    around.sources.push_back((world.rank + 3 * world.size - step) % world.size);
  }
  const int edges = static_cast<int>(around.sources.size());
  std::vector<int> sources(around.sources), destinations(around.destinations);
  std::vector<int> in_weights = {1, 2, 3}, out_weights = {4, 5, 6};
  MPI_Dist_graph_create_adjacent(world.comm, edges, sources.data(), in_weights.data(), edges, destinations.data(),
                                 out_weights.data(), MPI_INFO_NULL, 0, &around.comm);
  for (std::vector<int>* array : {&sources, &destinations, &in_weights, &out_weights}) {
    std::fill(array->begin(), array->end(), -1);
  }
  MPI_Dist_graph_neighbors(around.comm, edges, sources.data(), in_weights.data(), edges, destinations.data(),
                           out_weights.data());
  CHECK(sources == around.sources && destinations == around.destinations);
  CHECK(in_weights == (std::vector<int>{1, 2, 3}) && out_weights == (std::vector<int>{4, 5, 6}));
  try_allgatherv(world, around);
  try_alltoall(world, around);
  MPI_Comm_free(&around.comm);
}

MPI_CASE("neighbourhood collectives on a grid use the arrays as they were at the call", 1, 8) {
  Around around;
  const int periodic = 1;
  MPI_Cart_create(world.comm, 1, &world.size, &periodic, 0, &around.comm);
  MPI_Cart_shift(around.comm, 0, 1, &around.sources.emplace_back(), &around.destinations.emplace_back());
  around.sources.push_back(around.destinations.front());
  around.destinations.assign(around.sources.begin(), around.sources.end());
  try_allgatherv(world, around);
  try_alltoall(world, around);
  MPI_Comm_free(&around.comm);
}

}  // namespace
}  // namespace starling::tests
