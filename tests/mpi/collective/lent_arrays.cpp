// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives use the counts, displacements and datatypes that they were given, whatever
// becomes of the arrays once the call has returned (MPI-5.0, 6.12 and 6.13).
#include "mpi/collective/lent_arrays.hpp"

namespace starling::tests {
namespace {

/// A communicator of one or two groups, as a rank of it sees it.
struct Ends {
  MPI_Comm comm = MPI_COMM_NULL;
  int id = 0;              ///< rank in the world
  std::vector<int> peers;  ///< whom this rank addresses, by their ranks in the world
  std::vector<int> own;    ///< its own group
  int root = 0;            ///< what it passes as root
  bool is_root = false;
  bool takes_part = true;  ///< in a rooted call
  int root_id = 0;         ///< the root's rank in the world

  [[nodiscard]] bool inter() const { return peers != own; }
};

/// What a rank exchanges with each peer, out and in.
LentBlocks blocks_out(const Ends& ends) {
  LentBlocks blocks;
  for (const int peer : ends.peers) blocks.add(pairs_between(ends.id, peer));
  return blocks;
}
LentBlocks blocks_in(const Ends& ends) {
  LentBlocks blocks;
  for (const int peer : ends.peers) blocks.add(pairs_between(peer, ends.id));
  return blocks;
}

void try_gatherv(Context& world, const Ends& ends) {
  const LentBlocks blocks = ends.is_root ? blocks_in(ends) : LentBlocks{};
  const int count = pairs_between(ends.id, ends.root_id);
  const std::vector<int> mine = values_of(ends.id, 2 * count + 1);
  const auto body = [&](auto function, auto& lent, int* received, auto... tail) {
    function(mine.data(), count, lent.dense_pair(), received, ends.is_root ? lent.counts(blocks.counts) : nullptr,
             ends.is_root ? lent.displs(blocks.places) : nullptr, lent.spread_pair(), ends.root, ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Gatherv", Trio{MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init},
                    Trio{MPI_Gatherv_c, MPI_Igatherv_c, MPI_Gatherv_init_c}, blocks.room(), body);
}

void try_scatterv(Context& world, const Ends& ends) {
  const LentBlocks blocks = ends.is_root ? blocks_out(ends) : LentBlocks{};
  const std::vector<int> all = blocks.values(ends.id);
  const int count = ends.takes_part ? pairs_between(ends.root_id, ends.id) : 0;
  const auto body = [&](auto function, auto& lent, int* received, auto... tail) {
    function(all.data(), ends.is_root ? lent.counts(blocks.counts) : nullptr,
             ends.is_root ? lent.displs(blocks.places) : nullptr, lent.dense_pair(), received, count,
             lent.spread_pair(), ends.root, ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Scatterv", Trio{MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init},
                    Trio{MPI_Scatterv_c, MPI_Iscatterv_c, MPI_Scatterv_init_c}, unset(4 * count + 1), body);
}

void try_allgatherv(Context& world, const Ends& ends, const void* (*source)(const std::vector<int>&)) {
  const auto share = [](int rank) { return pairs_between(rank, 0); };
  LentBlocks blocks;
  for (const int peer : ends.peers) blocks.add(share(peer));
  const std::vector<int> mine = values_of(ends.id, 2 * share(ends.id) + 1);
  std::vector<int> initial = blocks.room();
  if (!ends.inter()) {
    // In place: the rank's own block stands where it belongs.
    int* own = initial.data() + 4 * blocks.places[static_cast<std::size_t>(ends.id)];
    for (int i = 0; i < 2 * share(ends.id); ++i) own[2 * i] = value_of(ends.id, i);
  }
  const auto body = [&](auto function, auto& lent, int* received, auto... tail) {
    function(source(mine), share(ends.id), lent.dense_pair(), received, lent.counts(blocks.counts),
             lent.displs(blocks.places), lent.spread_pair(), ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Allgatherv", Trio{MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init},
                    Trio{MPI_Allgatherv_c, MPI_Iallgatherv_c, MPI_Allgatherv_init_c}, initial, body);
}

void try_alltoallv(Context& world, const Ends& ends) {
  const LentBlocks out = blocks_out(ends);
  const LentBlocks in = blocks_in(ends);
  const std::vector<int> all = out.values(ends.id);
  const auto body = [&](auto function, auto& lent, int* received, auto... tail) {
    function(all.data(), lent.counts(out.counts), lent.displs(out.places), lent.dense_pair(), received,
             lent.counts(in.counts), lent.displs(in.places), lent.spread_pair(), ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Alltoallv", Trio{MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init},
                    Trio{MPI_Alltoallv_c, MPI_Ialltoallv_c, MPI_Alltoallv_init_c}, in.room(), body);
}

void try_alltoallw(Context& world, const Ends& ends) {
  const LentBlocks out = blocks_out(ends);
  const LentBlocks in = blocks_in(ends);
  const std::vector<int> all = out.values(ends.id);
  const auto body = [&](auto function, auto& lent, int* received, auto... tail) {
    function(all.data(), lent.counts(out.counts), lent.displs(out.byte_places(2)), lent.dense_pairs(out.counts.size()),
             received, lent.counts(in.counts), lent.displs(in.byte_places(4)), lent.spread_pairs(in.counts.size()),
             ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Alltoallw", Trio{MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init},
                    Trio{MPI_Alltoallw_c, MPI_Ialltoallw_c, MPI_Alltoallw_init_c}, in.room(), body);
}

/// In place counts and displacements are those of the receive side only.
void try_alltoallv_in_place(Context& world, const Ends& ends) {
  LentBlocks blocks;
  for (const int peer : ends.peers) blocks.add(pairs_between(std::min(ends.id, peer), std::max(ends.id, peer)));
  const std::vector<int> initial = values_of(ends.id, 4 * blocks.end + 1);
  const auto v = [&](auto function, auto& lent, int* received, auto... tail) {
    function(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, received, lent.counts(blocks.counts),
             lent.displs(blocks.places), lent.spread_pair(), ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Alltoallv in place", Trio{MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init},
                    Trio{MPI_Alltoallv_c, MPI_Ialltoallv_c, MPI_Alltoallv_init_c}, initial, v);
  const auto w = [&](auto function, auto& lent, int* received, auto... tail) {
    function(MPI_IN_PLACE, nullptr, nullptr, nullptr, received, lent.counts(blocks.counts),
             lent.displs(blocks.byte_places(4)), lent.spread_pairs(blocks.counts.size()), ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Alltoallw in place", Trio{MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init},
                    Trio{MPI_Alltoallw_c, MPI_Ialltoallw_c, MPI_Alltoallw_init_c}, initial, w);
}

void try_reduce_scatter(Context& world, const Ends& ends, const void* (*source)(const std::vector<int>&)) {
  // Between two groups the blocks of both add up to the same vector.
  const int whole = 12 * static_cast<int>(ends.peers.size() * ends.own.size());
  std::vector<int> shares(ends.own.size(), whole / static_cast<int>(ends.own.size()));
  for (std::size_t i = 0; i + 1 < shares.size(); i += 2) {
    shares[i] += 3;
    shares[i + 1] -= 3;
  }
  const std::vector<int> mine = values_of(ends.id, whole);
  const bool in_place = source(mine) == MPI_IN_PLACE;
  const auto body = [&](auto function, auto& lent, int* received, auto... tail) {
    function(source(mine), received, lent.counts(shares), MPI_INT, MPI_SUM, ends.comm, tail...);
  };
  compare_all_forms(world, "MPI_Reduce_scatter", Trio{MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init},
                    Trio{MPI_Reduce_scatter_c, MPI_Ireduce_scatter_c, MPI_Reduce_scatter_init_c},
                    in_place ? mine : unset(whole), body);
}

const void* apart(const std::vector<int>& buffer) { return buffer.data(); }
const void* in_place(const std::vector<int>& /*buffer*/) { return MPI_IN_PLACE; }

void try_all(Context& world, const Ends& ends) {
  try_gatherv(world, ends);
  try_scatterv(world, ends);
  try_allgatherv(world, ends, &apart);
  try_alltoallv(world, ends);
  try_alltoallw(world, ends);
  try_reduce_scatter(world, ends, &apart);
  if (ends.inter()) return;
  try_allgatherv(world, ends, &in_place);
  try_alltoallv_in_place(world, ends);
  try_reduce_scatter(world, ends, &in_place);
}

std::vector<int> ranks(int first, int last) {
  std::vector<int> list(static_cast<std::size_t>(last - first));
  std::iota(list.begin(), list.end(), first);
  return list;
}

MPI_CASE("collectives use the arrays as they were at the call", 1, 8) {
  Ends ends{world.comm, world.rank, ranks(0, world.size), ranks(0, world.size)};
  ends.root = ends.root_id = world.size / 2;
  ends.is_root = world.rank == ends.root;
  try_all(world, ends);
}

MPI_CASE("collectives between two groups use the arrays as they were at the call", 2, 8) {
  const int in_first = (world.size + 1) / 3;
  const bool first = world.rank < in_first;
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(world.comm, first ? 0 : 1, world.rank, &local);
  MPI_Intercomm_create(local, 0, world.comm, first ? in_first : 0, 7, &inter);
  const std::vector<int> groups[2] = {ranks(0, in_first), ranks(in_first, world.size)};
  Ends ends{inter, world.rank, groups[first ? 1 : 0], groups[first ? 0 : 1]};
  for (const int root_id : {0, world.size - 1}) {
    const bool here = (root_id < in_first) == first;
    ends.root_id = root_id;
    ends.is_root = world.rank == root_id;
    ends.takes_part = !here;
    ends.root = !here ? (first ? root_id - in_first : root_id) : ends.is_root ? MPI_ROOT : MPI_PROC_NULL;
    try_all(world, ends);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

}  // namespace
}  // namespace starling::tests
