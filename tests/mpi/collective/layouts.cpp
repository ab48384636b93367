// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Collectives with derived datatypes, different at the two ends, and in the large-count forms.
#include <algorithm>

#include "mpi/collective/comms.hpp"

namespace starling::tests {
namespace {

/// Two ints with a hole behind each, spaced so that arrays of it do not touch.
class Spaced {
 public:
  static constexpr int kInts = 5;  ///< ints from one element to the next

  Spaced() {
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, kInts * sizeof(int), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&pair);
  }
  ~Spaced() { MPI_Type_free(&type_); }
  Spaced(const Spaced&) = delete;
  Spaced& operator=(const Spaced&) = delete;

  [[nodiscard]] MPI_Datatype type() const { return type_; }

  /// An even number of values in this layout, -1 in the holes.
  static std::vector<int> spread(const std::vector<int>& dense) {
    std::vector<int> wide(dense.size() / 2 * kInts, -1);
    for (std::size_t i = 0; i < dense.size(); ++i) wide[i / 2 * kInts + i % 2 * 2] = dense[i];
    return wide;
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

MPI_CASE("MPI_Bcast between a dense and a spaced layout", 1, 8) {
  const Spaced spaced;
  for (const int pairs : {0, 1, 50, 20000}) {
    const std::vector<int> dense = values_of(0, 2 * pairs);
    if (world.rank == 0) {
      std::vector<int> values(dense);
      MPI_Bcast(values.data(), 2 * pairs, MPI_INT, 0, world.comm);
    } else {
      std::vector<int> values(static_cast<std::size_t>(pairs) * Spaced::kInts, -1);
      MPI_Bcast(values.data(), pairs, spaced.type(), 0, world.comm);
      CHECK(values == Spaced::spread(dense));
    }
  }
}

MPI_CASE("MPI_Gather and MPI_Scatter between dense and spaced layouts", 1, 8) {
  const Spaced spaced;
  for (const int pairs : {1, 50, 3000}) {
    const std::vector<int> mine = values_of(world.rank, 2 * pairs);
    const std::vector<int> all = Spaced::spread(all_values(world.size, 2 * pairs));
    std::vector<int> gathered(all.size(), -1);
    MPI_Gather(mine.data(), 2 * pairs, MPI_INT, gathered.data(), pairs, spaced.type(), 0, world.comm);
    if (world.rank == 0) CHECK(gathered == all);
    std::vector<int> scattered(mine.size(), -1);
    MPI_Scatter(all.data(), pairs, spaced.type(), scattered.data(), 2 * pairs, MPI_INT, 0, world.comm);
    CHECK(scattered == mine);
  }
}

MPI_CASE("MPI_Allgather and MPI_Alltoall between dense and spaced layouts", 1, 8) {
  const Spaced spaced;
  for (const int pairs : {1, 50, 3000}) {
    const std::vector<int> mine = values_of(world.rank, 2 * pairs);
    const std::vector<int> all = Spaced::spread(all_values(world.size, 2 * pairs));
    std::vector<int> gathered(all.size(), -1);
    MPI_Allgather(mine.data(), 2 * pairs, MPI_INT, gathered.data(), pairs, spaced.type(), world.comm);
    CHECK(gathered == all);
    std::vector<int> out;
    for (int peer = 0; peer < world.size; ++peer) out.insert(out.end(), mine.begin(), mine.end());
    std::vector<int> in(all.size(), -1);
    MPI_Alltoall(out.data(), 2 * pairs, MPI_INT, in.data(), pairs, spaced.type(), world.comm);
    CHECK(in == all);
  }
}

MPI_CASE("reductions leave the holes of a spaced layout alone", 1, 8) {
  const Spaced spaced;
  MPI_Op add = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        const auto* left = static_cast<const int*>(in);
        auto* right = static_cast<int*>(inout);
        for (int i = 0; i < *count; ++i) {
          right[i * Spaced::kInts] += left[i * Spaced::kInts];
          right[i * Spaced::kInts + 2] += left[i * Spaced::kInts + 2];
        }
      },
      1, &add);
  for (const int pairs : {1, 50, 4000}) {
    const std::vector<int> mine = Spaced::spread(values_of(world.rank, 2 * pairs));
    std::vector<int> got(mine.size(), -1);
    MPI_Allreduce(mine.data(), got.data(), pairs, spaced.type(), add, world.comm);
    CHECK(got == Spaced::spread(sum_of(0, world.size, 2 * pairs)));
  }
  MPI_Op_free(&add);
}

MPI_CASE("MPI_Alltoallw sends the columns of a matrix as rows", 1, 8) {
  const int n = world.size * 4;
  const int mine = 4;  // rows of each rank
  std::vector<int> matrix(static_cast<std::size_t>(mine * n));
  for (int i = 0; i < mine * n; ++i) matrix[static_cast<std::size_t>(i)] = (world.rank * mine + i / n) * n + i % n;
  // The block for a peer: its columns of my rows, sent column by column.
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Datatype columns = MPI_DATATYPE_NULL;
  MPI_Type_vector(mine, 1, n, MPI_INT, &column);
  MPI_Type_create_hvector(mine, 1, sizeof(int), column, &columns);
  MPI_Type_commit(&columns);
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_vector(mine, mine, n, MPI_INT, &block);
  MPI_Type_commit(&block);
  const auto size = static_cast<std::size_t>(world.size);
  const std::vector<int> ones(size, 1);
  std::vector<int> places(size);
  for (std::size_t i = 0; i < size; ++i) places[i] = static_cast<int>(i * 4 * sizeof(int));
  const std::vector<MPI_Datatype> out(size, columns);
  const std::vector<MPI_Datatype> in(size, block);
  std::vector<int> transposed(matrix.size(), -1);
  MPI_Alltoallw(matrix.data(), ones.data(), places.data(), out.data(), transposed.data(), ones.data(), places.data(),
                in.data(), world.comm);
  int wrong = 0;
  for (int i = 0; i < mine * n; ++i) {
    wrong += transposed[static_cast<std::size_t>(i)] != i % n * n + world.rank * mine + i / n;
  }
  CHECK_EQ(wrong, 0);
  MPI_Type_free(&column);
  MPI_Type_free(&columns);
  MPI_Type_free(&block);
}

#if MPI_VERSION >= 4
MPI_CASE("the large-count forms give what the others give", 1, 8) {
  constexpr int kCount = 1000;
  const std::vector<int> mine = values_of(world.rank, kCount);
  std::vector<int> got(kCount, -1);
  MPI_Allreduce_c(mine.data(), got.data(), kCount, MPI_INT, MPI_SUM, world.comm);
  CHECK(got == sum_of(0, world.size, kCount));
  std::vector<int> values = world.rank == 0 ? mine : std::vector<int>(kCount);
  MPI_Bcast_c(values.data(), kCount, MPI_INT, 0, world.comm);
  CHECK(values == values_of(0, kCount));
  std::vector<MPI_Count> counts_of(static_cast<std::size_t>(world.size), kCount);
  std::vector<MPI_Aint> places(counts_of.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<MPI_Aint>(i) * kCount;
  std::vector<int> all(static_cast<std::size_t>(world.size) * kCount, -1);
  MPI_Allgatherv_c(mine.data(), kCount, MPI_INT, all.data(), counts_of.data(), places.data(), MPI_INT, world.comm);
  CHECK(all == all_values(world.size, kCount));
  std::fill(all.begin(), all.end(), -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather_c(mine.data(), kCount, MPI_INT, all.data(), kCount, MPI_INT, world.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(all == all_values(world.size, kCount));
}

MPI_CASE("every blocking collective gives in its large-count form what it gives in the other", 1, 8) {
  constexpr int kCount = 50;
  const auto ranks = static_cast<std::size_t>(world.size);
  const std::vector<int> mine = values_of(world.rank, kCount * world.size);
  const int* out = mine.data();
  const std::vector<int> counts_of(ranks, kCount);
  const std::vector<MPI_Count> many(ranks, kCount);
  std::vector<int> places(ranks), byte_places(ranks);
  std::vector<MPI_Aint> far(ranks), far_bytes(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    places[i] = static_cast<int>(i) * kCount;
    far[i] = places[i];
    far_bytes[i] = byte_places[i] = places[i] * static_cast<int>(sizeof(int));
  }
  const std::vector<MPI_Datatype> types(ranks, MPI_INT);
  const MPI_Comm comm = world.comm;
  const int root = world.size - 1;
  const auto same = [&](const auto& small, const auto& large) {
    std::vector<int> first(mine.size(), -1), second(mine.size(), -1);
    small(first.data());
    large(second.data());
    CHECK(first == second);
  };
#define SAME(name, few, many) same([&](int* in) { MPI_##name few; }, [&](int* in) { MPI_##name##_c many; })
  SAME(Gather, (out, kCount, MPI_INT, in, kCount, MPI_INT, root, comm),
       (out, kCount, MPI_INT, in, kCount, MPI_INT, root, comm));
  SAME(Scatter, (out, kCount, MPI_INT, in, kCount, MPI_INT, root, comm),
       (out, kCount, MPI_INT, in, kCount, MPI_INT, root, comm));
  SAME(Gatherv, (out, kCount, MPI_INT, in, counts_of.data(), places.data(), MPI_INT, root, comm),
       (out, kCount, MPI_INT, in, many.data(), far.data(), MPI_INT, root, comm));
  SAME(Scatterv, (out, counts_of.data(), places.data(), MPI_INT, in, kCount, MPI_INT, root, comm),
       (out, many.data(), far.data(), MPI_INT, in, kCount, MPI_INT, root, comm));
  SAME(Allgather, (out, kCount, MPI_INT, in, kCount, MPI_INT, comm), (out, kCount, MPI_INT, in, kCount, MPI_INT, comm));
  SAME(Alltoall, (out, kCount, MPI_INT, in, kCount, MPI_INT, comm), (out, kCount, MPI_INT, in, kCount, MPI_INT, comm));
  SAME(Alltoallv, (out, counts_of.data(), places.data(), MPI_INT, in, counts_of.data(), places.data(), MPI_INT, comm),
       (out, many.data(), far.data(), MPI_INT, in, many.data(), far.data(), MPI_INT, comm));
  SAME(Alltoallw,
       (out, counts_of.data(), byte_places.data(), types.data(), in, counts_of.data(), byte_places.data(), types.data(),
        comm),
       (out, many.data(), far_bytes.data(), types.data(), in, many.data(), far_bytes.data(), types.data(), comm));
  SAME(Reduce, (out, in, kCount, MPI_INT, MPI_SUM, root, comm), (out, in, kCount, MPI_INT, MPI_SUM, root, comm));
  SAME(Reduce_scatter, (out, in, counts_of.data(), MPI_INT, MPI_SUM, comm),
       (out, in, many.data(), MPI_INT, MPI_SUM, comm));
  SAME(Reduce_scatter_block, (out, in, kCount, MPI_INT, MPI_SUM, comm), (out, in, kCount, MPI_INT, MPI_SUM, comm));
  SAME(Scan, (out, in, kCount, MPI_INT, MPI_SUM, comm), (out, in, kCount, MPI_INT, MPI_SUM, comm));
  SAME(Exscan, (out, in, kCount, MPI_INT, MPI_SUM, comm), (out, in, kCount, MPI_INT, MPI_SUM, comm));
#undef SAME
}
#endif

}  // namespace
}  // namespace starling::tests
