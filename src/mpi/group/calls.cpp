// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Groups. Source: MPI-5.0, chapter 7.3.
#include "api/calls.hpp"

#include <string>
#include <vector>

#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/group/comparison.hpp"

namespace starling::mpi {
namespace {

using RankList = std::vector<std::int32_t>;

Status bad_rank(int rank, const comm::Group& group) {
  return Status::error(ErrorClass::kRank,
                       formatted("rank {} is not in the group, whose ranks are 0 to {}", rank, group.size() - 1));
}

/// Each rank is in the group and stands once in the list.
Status check_distinct(const comm::Group& group, const RankList& ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(group.size()));
  for (std::int32_t rank : ranks) {
    if (rank < 0 || rank >= group.size()) return bad_rank(rank, group);
    if (seen[static_cast<std::size_t>(rank)]) {
      return Status::error(ErrorClass::kRank, formatted("rank {} stands twice in the list; name each rank once", rank));
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return {};
}

/// first, first + stride, ... up to last, for each range.
Result<RankList> expand(const comm::Group& group, int n, int ranges[][3]) {
  RankList ranks;
  for (int index = 0; index < n; ++index) {
    const std::int64_t first = ranges[index][0];
    const std::int64_t last = ranges[index][1];
    const std::int64_t stride = ranges[index][2];
    if (stride == 0) {
      return Status::error(ErrorClass::kArg,
                           formatted("the stride of range {} is 0; it must be another number", index));
    }
    if (first < 0 || first >= group.size()) return bad_rank(ranges[index][0], group);
    if (last < 0 || last >= group.size()) return bad_rank(ranges[index][1], group);
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      ranks.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return ranks;
}

using Choose = Ref<comm::Group> (*)(const comm::Group&, std::span<const std::int32_t>);

int choose(Choose make, MPI_Group group, const RankList& ranks, MPI_Group* newgroup) {
  const comm::Group& members = *current()->group(group);
  if (Status distinct = check_distinct(members, ranks); !distinct.ok()) return fail(std::move(distinct));
  return give_group(*current(), make(members, ranks), newgroup);
}

int choose_ranges(Choose make, MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  Result<RankList> ranks = expand(*current()->group(group), n, ranges);
  if (!ranks.ok()) return fail(std::move(ranks).status());
  return choose(make, group, ranks.value(), newgroup);
}

}  // namespace

int group_size(MPI_Group group, int* size) {
  *size = current()->group(group)->size();
  return MPI_SUCCESS;
}

int group_rank(MPI_Group group, int* rank) {
  Context& context = *current();
  const std::int32_t mine = context.group(group)->rank_of(context.world->process());
  *rank = mine == comm::Group::kNotMember ? MPI_UNDEFINED : mine;
  return MPI_SUCCESS;
}

int group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  Context& context = *current();
  *result = comparison_code(context.group(group1)->compare(*context.group(group2)));
  return MPI_SUCCESS;
}

int group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]) {
  Context& context = *current();
  const comm::Group& from = *context.group(group1);
  const comm::Group& to = *context.group(group2);
  for (int index = 0; index < n; ++index) {
    if (ranks1[index] == MPI_PROC_NULL) {
      ranks2[index] = MPI_PROC_NULL;
      continue;
    }
    if (ranks1[index] < 0 || ranks1[index] >= from.size()) return fail(bad_rank(ranks1[index], from));
    const std::int32_t rank = to.rank_of(from.process(ranks1[index]));
    ranks2[index] = rank == comm::Group::kNotMember ? MPI_UNDEFINED : rank;
  }
  return MPI_SUCCESS;
}

int group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  Context& context = *current();
  return give_group(*current(), comm::group_union(*context.group(group1), *context.group(group2)), newgroup);
}

int group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  Context& context = *current();
  return give_group(*current(), comm::group_intersection(*context.group(group1), *context.group(group2)), newgroup);
}

int group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  Context& context = *current();
  return give_group(*current(), comm::group_difference(*context.group(group1), *context.group(group2)), newgroup);
}

int group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return choose(comm::group_include, group, RankList(ranks, ranks + n), newgroup);
}

int group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  return choose(comm::group_exclude, group, RankList(ranks, ranks + n), newgroup);
}

int group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return choose_ranges(comm::group_include, group, n, ranges, newgroup);
}

int group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup) {
  return choose_ranges(comm::group_exclude, group, n, ranges, newgroup);
}

int group_free(MPI_Group* group) {
  // Calls that make an empty group give MPI_GROUP_EMPTY out, so a program may free it; it stays.
  if (*group != MPI_GROUP_EMPTY) current()->groups.erase(*group);
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
