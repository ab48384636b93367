// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Envelopes and contents: a type tells how it was made (MPI-5.0, 5.1.13).
#include <vector>

#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// What a derived type says of itself.
struct Contents {
  explicit Contents(MPI_Datatype type) {
    int integer_count = 0, address_count = 0, type_count = 0;
    MPI_Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner);
    integers.resize(static_cast<std::size_t>(integer_count));
    addresses.resize(static_cast<std::size_t>(address_count));
    types.resize(static_cast<std::size_t>(type_count));
    MPI_Type_get_contents(type, integer_count, address_count, type_count, integers.data(), addresses.data(),
                          types.data());
  }

  int combiner = -1;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
};

void check_contents(Context& world, MPI_Datatype made, int combiner, const std::vector<int>& integers,
                    const std::vector<MPI_Aint>& addresses) {
  const Contents contents(made);
  CHECK_EQ(contents.combiner, combiner);
  CHECK(contents.integers == integers);
  CHECK(contents.addresses == addresses);
  for (const MPI_Datatype type : contents.types) CHECK(type == MPI_INT);
  MPI_Type_free(&made);
}

MPI_CASE("a predefined type is named", 1, 1) {
  int integers = -1, addresses = -1, types = -1, combiner = -1;
  MPI_Type_get_envelope(MPI_DOUBLE, &integers, &addresses, &types, &combiner);
  CHECK_EQ(combiner, MPI_COMBINER_NAMED);
  CHECK_EQ(integers, 0);
  CHECK_EQ(addresses, 0);
  CHECK_EQ(types, 0);
}

MPI_CASE("every constructor gives its arguments back", 1, 1) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int lengths[] = {1, 2, 3};
  const int places[] = {0, 5, 9};
  const MPI_Aint far_places[] = {0, 24, 80};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
  const int sizes[] = {5, 7}, parts[] = {2, 3}, starts[] = {1, 4};
  MPI_Type_dup(MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_DUP, {}, {});
  MPI_Type_contiguous(4, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_CONTIGUOUS, {4}, {});
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_VECTOR, {3, 2, 5}, {});
  MPI_Type_create_hvector(3, 2, 40, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_HVECTOR, {3, 2}, {40});
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_INDEXED, {3, 1, 2, 3, 0, 5, 9}, {});
  MPI_Type_create_hindexed(3, lengths, far_places, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_HINDEXED, {3, 1, 2, 3}, {0, 24, 80});
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_INDEXED_BLOCK, {3, 2, 0, 5, 9}, {});
  MPI_Type_create_hindexed_block(3, 2, far_places, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_HINDEXED_BLOCK, {3, 2}, {0, 24, 80});
  MPI_Type_create_struct(3, lengths, far_places, types, &type);
  check_contents(world, type, MPI_COMBINER_STRUCT, {3, 1, 2, 3}, {0, 24, 80});
  MPI_Type_create_resized(MPI_INT, -4, 16, &type);
  check_contents(world, type, MPI_COMBINER_RESIZED, {}, {-4, 16});
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
  check_contents(world, type, MPI_COMBINER_SUBARRAY, {2, 5, 7, 2, 3, 1, 4, MPI_ORDER_C}, {});
}

MPI_CASE("the types of the contents make the same type again", 1, 1) {
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &inner);
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Type_free(&inner);
  Contents contents(outer);
  if (!CHECK_EQ(contents.types.size(), std::size_t{1})) return;
  const Contents inside(contents.types[0]);
  CHECK_EQ(inside.combiner, MPI_COMBINER_VECTOR);
  CHECK(inside.integers == std::vector<int>({3, 1, 2}));
  MPI_Datatype again = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, contents.types[0], &again);
  MPI_Type_free(&contents.types[0]);
  MPI_Aint lower = 0, extent = 0, extent_again = 0;
  MPI_Type_get_extent(outer, &lower, &extent);
  MPI_Type_get_extent(again, &lower, &extent_again);
  CHECK_EQ(extent, extent_again);
  MPI_Type_free(&outer);
  MPI_Type_free(&again);
}

#if MPI_VERSION >= 4
/// Of a type that was made with a large-count constructor.
struct LargeContents {
  explicit LargeContents(MPI_Datatype type) {
    MPI_Count integer_count = 0, address_count = 0, large_count = 0, type_count = 0;
    MPI_Type_get_envelope_c(type, &integer_count, &address_count, &large_count, &type_count, &combiner);
    integers.resize(static_cast<std::size_t>(integer_count));
    addresses.resize(static_cast<std::size_t>(address_count));
    counts.resize(static_cast<std::size_t>(large_count));
    types.resize(static_cast<std::size_t>(type_count));
    MPI_Type_get_contents_c(type, integer_count, address_count, large_count, type_count, integers.data(),
                            addresses.data(), counts.data(), types.data());
  }

  int combiner = -1;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Datatype> types;
};

/// The bytes 0, 1, 2, ... where the type takes them from.
std::vector<unsigned char> packed(MPI_Datatype type) {
  constexpr std::size_t kRoom = 1024;
  std::vector<unsigned char> memory(kRoom), bytes(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) memory[i] = static_cast<unsigned char>(i * 7 + i / 256);
  MPI_Datatype committed = MPI_DATATYPE_NULL;
  MPI_Type_dup(type, &committed);
  MPI_Type_commit(&committed);
  MPI_Count position = 0;
  MPI_Pack_c(memory.data() + kRoom / 2, 1, committed, bytes.data(), kRoom, &position, MPI_COMM_SELF);
  bytes.resize(static_cast<std::size_t>(position));
  MPI_Type_free(&committed);
  return bytes;
}

/// The type that the large-count form made: that of the small form, and what it says of itself.
void check_large(Context& world, MPI_Datatype small, MPI_Datatype large, const std::vector<int>& integers,
                 const std::vector<MPI_Count>& counts) {
  const LargeContents contents(large);
  CHECK_EQ(contents.combiner, Contents(small).combiner);
  CHECK(contents.integers == integers);
  CHECK(contents.addresses.empty());
  CHECK(contents.counts == counts);
  for (const MPI_Datatype type : contents.types) CHECK(type == MPI_INT);
  MPI_Count bounds[2][5];
  for (const int which : {0, 1}) {
    const MPI_Datatype type = which == 0 ? small : large;
    MPI_Type_size_c(type, &bounds[which][0]);
    MPI_Type_get_extent_c(type, &bounds[which][1], &bounds[which][2]);
    MPI_Type_get_true_extent_c(type, &bounds[which][3], &bounds[which][4]);
  }
  for (int i = 0; i < 5; ++i) CHECK_EQ(bounds[1][i], bounds[0][i]);
  CHECK(packed(large) == packed(small));
  MPI_Type_free(&small);
  MPI_Type_free(&large);
}

MPI_CASE("every constructor makes the same type in its large-count form, and gives its counts back", 1, 1) {
  MPI_Datatype small = MPI_DATATYPE_NULL, large = MPI_DATATYPE_NULL;
  const int lengths[] = {1, 2, 3}, places[] = {0, 5, 9};
  const MPI_Count many_lengths[] = {1, 2, 3}, many_places[] = {0, 5, 9}, far_counts[] = {0, 24, 80};
  const MPI_Aint far_places[] = {0, 24, 80};
  const MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
  MPI_Type_contiguous(4, MPI_INT, &small);
  MPI_Type_contiguous_c(4, MPI_INT, &large);
  check_large(world, small, large, {}, {4});
  MPI_Type_vector(3, 2, 5, MPI_INT, &small);
  MPI_Type_vector_c(3, 2, 5, MPI_INT, &large);
  check_large(world, small, large, {}, {3, 2, 5});
  MPI_Type_create_hvector(3, 2, 40, MPI_INT, &small);
  MPI_Type_create_hvector_c(3, 2, 40, MPI_INT, &large);
  check_large(world, small, large, {}, {3, 2, 40});
  MPI_Type_indexed(3, lengths, places, MPI_INT, &small);
  MPI_Type_indexed_c(3, many_lengths, many_places, MPI_INT, &large);
  check_large(world, small, large, {}, {3, 1, 2, 3, 0, 5, 9});
  MPI_Type_create_hindexed(3, lengths, far_places, MPI_INT, &small);
  MPI_Type_create_hindexed_c(3, many_lengths, far_counts, MPI_INT, &large);
  check_large(world, small, large, {}, {3, 1, 2, 3, 0, 24, 80});
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &small);
  MPI_Type_create_indexed_block_c(3, 2, many_places, MPI_INT, &large);
  check_large(world, small, large, {}, {3, 2, 0, 5, 9});
  MPI_Type_create_hindexed_block(3, 2, far_places, MPI_INT, &small);
  MPI_Type_create_hindexed_block_c(3, 2, far_counts, MPI_INT, &large);
  check_large(world, small, large, {}, {3, 2, 0, 24, 80});
  MPI_Type_create_struct(3, lengths, far_places, types, &small);
  MPI_Type_create_struct_c(3, many_lengths, far_counts, types, &large);
  check_large(world, small, large, {}, {3, 1, 2, 3, 0, 24, 80});
  MPI_Type_create_resized(MPI_INT, -4, 16, &small);
  MPI_Type_create_resized_c(MPI_INT, -4, 16, &large);
  check_large(world, small, large, {}, {-4, 16});
}

MPI_CASE("arrays make the same type in their large-count form, and give their counts back", 1, 1) {
  MPI_Datatype small = MPI_DATATYPE_NULL, large = MPI_DATATYPE_NULL;
  const int sizes[] = {5, 7}, parts[] = {2, 3}, starts[] = {1, 4};
  const MPI_Count many_sizes[] = {5, 7}, many_parts[] = {2, 3}, many_starts[] = {1, 4};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &small);
  MPI_Type_create_subarray_c(2, many_sizes, many_parts, many_starts, MPI_ORDER_C, MPI_INT, &large);
  check_large(world, small, large, {2, MPI_ORDER_C}, {5, 7, 2, 3, 1, 4});
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  const int grid[] = {2, 3};
  MPI_Type_create_darray(6, 4, 2, sizes, kinds, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT, &small);
  MPI_Type_create_darray_c(6, 4, 2, many_sizes, kinds, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT, &large);
  check_large(world, small, large,
              {6, 4, 2, kinds[0], kinds[1], arguments[0], arguments[1], grid[0], grid[1], MPI_ORDER_FORTRAN}, {5, 7});
}
#endif

}  // namespace
}  // namespace starling::tests
