// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Group operations against plain vectors of ranks (MPI-5.0, 7.3).
#include <algorithm>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// A group and the world ranks that it should have, in order.
struct Set {
  MPI_Group group = MPI_GROUP_NULL;
  std::vector<int> ranks;
};

MPI_Group world_group() {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  return group;
}

Set random_set(std::mt19937_64& random, MPI_Group all, int size) {
  Set set;
  for (int rank = 0; rank < size; ++rank) {
    if (random() % 2) set.ranks.push_back(rank);
  }
  std::shuffle(set.ranks.begin(), set.ranks.end(), random);
  MPI_Group_incl(all, static_cast<int>(set.ranks.size()), set.ranks.data(), &set.group);
  return set;
}

std::vector<int> ranks_of(MPI_Group group, MPI_Group all) {
  int size = -1;
  MPI_Group_size(group, &size);
  std::vector<int> inside(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) inside[static_cast<std::size_t>(i)] = i;
  std::vector<int> outside(inside.size(), -5);
  MPI_Group_translate_ranks(group, size, inside.data(), all, outside.data());
  return outside;
}

bool has(const std::vector<int>& ranks, int rank) { return std::find(ranks.begin(), ranks.end(), rank) != ranks.end(); }

std::vector<int> keep(const std::vector<int>& ranks, const std::vector<int>& others, bool present) {
  std::vector<int> kept;
  for (const int rank : ranks) {
    if (has(others, rank) == present) kept.push_back(rank);
  }
  return kept;
}

MPI_CASE("union, intersection and difference keep the order of the first group", 1, 8) {
  const MPI_Group all = world_group();
  MPI_Group first_and_free[3];
  std::mt19937_64 random = world.generator();
  for (int round = 0; round < 50; ++round) {
    Set a = random_set(random, all, world.size);
    Set b = random_set(random, all, world.size);
    MPI_Group_union(a.group, b.group, &first_and_free[0]);
    MPI_Group_intersection(a.group, b.group, &first_and_free[1]);
    MPI_Group_difference(a.group, b.group, &first_and_free[2]);
    std::vector<int> united = a.ranks;
    for (const int rank : keep(b.ranks, a.ranks, false)) united.push_back(rank);
    CHECK(ranks_of(first_and_free[0], all) == united);
    CHECK(ranks_of(first_and_free[1], all) == keep(a.ranks, b.ranks, true));
    CHECK(ranks_of(first_and_free[2], all) == keep(a.ranks, b.ranks, false));
    for (MPI_Group& group : first_and_free) {
      if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
    }
    if (a.group != MPI_GROUP_EMPTY) MPI_Group_free(&a.group);
    if (b.group != MPI_GROUP_EMPTY) MPI_Group_free(&b.group);
  }
  MPI_Group freed = all;
  MPI_Group_free(&freed);
  CHECK(freed == MPI_GROUP_NULL);
}

MPI_CASE("rank, size, translation and comparison", 1, 8) {
  MPI_Group all = world_group();
  std::mt19937_64 random = world.generator();
  for (int round = 0; round < 50; ++round) {
    Set a = random_set(random, all, world.size);
    Set b = random_set(random, all, world.size);
    int rank = -1;
    MPI_Group_rank(a.group, &rank);
    const auto place = std::find(a.ranks.begin(), a.ranks.end(), world.rank);
    CHECK_EQ(rank, place == a.ranks.end() ? MPI_UNDEFINED : static_cast<int>(place - a.ranks.begin()));
    const std::vector<int> in_b = ranks_of(a.group, b.group);
    for (std::size_t i = 0; i < a.ranks.size(); ++i) {
      const auto there = std::find(b.ranks.begin(), b.ranks.end(), a.ranks[i]);
      CHECK_EQ(in_b[i], there == b.ranks.end() ? MPI_UNDEFINED : static_cast<int>(there - b.ranks.begin()));
    }
    int result = -1;
    MPI_Group_compare(a.group, b.group, &result);
    std::vector<int> sorted_a(a.ranks);
    std::vector<int> sorted_b(b.ranks);
    std::sort(sorted_a.begin(), sorted_a.end());
    std::sort(sorted_b.begin(), sorted_b.end());
    int relation = MPI_UNEQUAL;
    if (sorted_a == sorted_b) relation = MPI_SIMILAR;
    if (a.ranks == b.ranks) relation = MPI_IDENT;
    CHECK_EQ(result, relation);
    if (a.group != MPI_GROUP_EMPTY) MPI_Group_free(&a.group);
    if (b.group != MPI_GROUP_EMPTY) MPI_Group_free(&b.group);
  }
  const int nobody = MPI_PROC_NULL;
  int translated = 0;
  MPI_Group_translate_ranks(all, 1, &nobody, all, &translated);
  CHECK_EQ(translated, MPI_PROC_NULL);
  MPI_Group_free(&all);
}

MPI_CASE("MPI_Group_excl leaves the others in their order", 1, 8) {
  MPI_Group all = world_group();
  std::mt19937_64 random = world.generator();
  for (int round = 0; round < 20; ++round) {
    Set out = random_set(random, all, world.size);
    MPI_Group rest = MPI_GROUP_NULL;
    MPI_Group_excl(all, static_cast<int>(out.ranks.size()), out.ranks.data(), &rest);
    std::vector<int> expected;
    for (int rank = 0; rank < world.size; ++rank) {
      if (!has(out.ranks, rank)) expected.push_back(rank);
    }
    CHECK(ranks_of(rest, all) == expected);
    if (rest != MPI_GROUP_EMPTY) MPI_Group_free(&rest);
    if (out.group != MPI_GROUP_EMPTY) MPI_Group_free(&out.group);
  }
  MPI_Group_free(&all);
}

MPI_CASE("ranges go up and down by any stride", 8, 8) {
  MPI_Group all = world_group();
  int ranges[3][3] = {{6, 7, 1}, {5, 1, -2}, {0, 0, 3}};
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Group_range_incl(all, 3, ranges, &some);
  CHECK(ranks_of(some, all) == std::vector<int>({6, 7, 5, 3, 1, 0}));
  MPI_Group_free(&some);
  MPI_Group_range_excl(all, 3, ranges, &some);
  CHECK(ranks_of(some, all) == std::vector<int>({2, 4}));
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

MPI_CASE("the empty group", 1, 2) {
  MPI_Group all = world_group();
  int size = -1;
  int rank = 0;
  int result = -1;
  MPI_Group_size(MPI_GROUP_EMPTY, &size);
  CHECK_EQ(size, 0);
  MPI_Group_rank(MPI_GROUP_EMPTY, &rank);
  CHECK_EQ(rank, MPI_UNDEFINED);
  MPI_Group none = MPI_GROUP_NULL;
  MPI_Group_incl(all, 0, nullptr, &none);
  MPI_Group_compare(none, MPI_GROUP_EMPTY, &result);
  CHECK_EQ(result, MPI_IDENT);
  if (none != MPI_GROUP_EMPTY) MPI_Group_free(&none);
  MPI_Group_free(&all);
}

MPI_CASE("a rank outside the group is an error", 1, 2) {
  const ReturnErrors quiet;
  MPI_Group all = world_group();
  MPI_Group made = MPI_GROUP_NULL;
  const int outside = world.size;
  CHECK_EQ(class_of(MPI_Group_incl(all, 1, &outside, &made)), MPI_ERR_RANK);
  const int negative = -1;
  CHECK_EQ(class_of(MPI_Group_incl(all, 1, &negative, &made)), MPI_ERR_RANK);
  MPI_Group_free(&all);
}

MPI_CASE("a rank named twice is an error", 1, 2) {
  const ReturnErrors quiet;
  MPI_Group all = world_group();
  MPI_Group made = MPI_GROUP_NULL;
  const int twice[] = {0, 0};
  CHECK(MPI_Group_incl(all, 2, twice, &made) != MPI_SUCCESS);
  MPI_Group_free(&all);
}

}  // namespace
}  // namespace starling::tests
