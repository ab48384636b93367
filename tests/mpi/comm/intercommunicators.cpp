// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Intercommunicators: two groups, messages between them, and what is made of them (MPI-5.0, 7.4.2 and 7.6).
#include <algorithm>
#include <numeric>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

/// The world cut in two, bound together again.
class TwoSides {
 public:
  /// The first `cut` ranks are one side, the others the other; the last rank of each side leads it.
  TwoSides(const Context& world, int cut)
      : cut_(cut), low_(world.rank < cut), rank_(low_ ? world.rank : world.rank - cut) {
    MPI_Comm_split(world.comm, low_ ? 0 : 1, world.rank, &local);
    MPI_Comm_size(local, &ours);
    theirs = world.size - ours;
    const int remote_leader = low_ ? world.size - 1 : cut - 1;
    const bool leads = rank_ == ours - 1;
    MPI_Intercomm_create(local, ours - 1, leads ? world.comm : MPI_COMM_NULL, leads ? remote_leader : -77, 12, &inter);
  }
  ~TwoSides() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
  }
  TwoSides(const TwoSides&) = delete;
  TwoSides& operator=(const TwoSides&) = delete;

  [[nodiscard]] bool low() const { return low_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int world_rank_of_remote(int rank) const { return low_ ? rank + cut_ : rank; }

  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  int ours = 0;
  int theirs = 0;

 private:
  int cut_;
  bool low_;
  int rank_;
};

int local_size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

int remote_size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_remote_size(comm, &size);
  return size;
}

int local_rank_of(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int relation_of(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  MPI_Comm_compare(a, b, &result);
  return result;
}

/// The world ranks of a group, in its order. Frees the group.
std::vector<int> world_ranks_of(MPI_Group group) {
  MPI_Group world_group = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> found(ranks.size());
  MPI_Group_translate_ranks(group, size, ranks.data(), world_group, found.data());
  MPI_Group_free(&world_group);
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
  return found;
}

std::vector<int> remote_members_of(MPI_Comm inter) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_remote_group(inter, &group);
  return world_ranks_of(group);
}

std::vector<int> local_members_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  return world_ranks_of(group);
}

/// Every rank sends its rank to every rank of the other side, and hears theirs from the source that they have there.
bool works_across(MPI_Comm inter) {
  const int theirs = remote_size_of(inter);
  const int mine = local_rank_of(inter);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(theirs));
  for (int to = 0; to < theirs; ++to)
    MPI_Isend(&mine, 1, MPI_INT, to, 3, inter, &requests[static_cast<std::size_t>(to)]);
  std::vector<bool> heard(static_cast<std::size_t>(theirs));
  bool good = true;
  for (int i = 0; i < theirs; ++i) {
    int from = -1;
    MPI_Status status;
    MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 3, inter, &status);
    good = good && from == status.MPI_SOURCE && from >= 0 && from < theirs && !heard[static_cast<std::size_t>(from)];
    if (good) heard[static_cast<std::size_t>(from)] = true;
  }
  MPI_Waitall(theirs, requests.data(), MPI_STATUSES_IGNORE);
  return good;
}

MPI_CASE("an intercommunicator has a local and a remote group", 2, 8) {
  for (const int cut : {1, world.size / 2, world.size - 1}) {
    const TwoSides sides(world, cut);
    int is_inter = 0;
    MPI_Comm_test_inter(sides.inter, &is_inter);
    CHECK_EQ(is_inter, 1);
    CHECK_EQ(local_size_of(sides.inter), sides.ours);
    CHECK_EQ(local_rank_of(sides.inter), sides.rank());
    CHECK_EQ(remote_size_of(sides.inter), sides.theirs);
    CHECK(local_members_of(sides.inter) == local_members_of(sides.local));
    std::vector<int> remote(static_cast<std::size_t>(sides.theirs));
    for (int rank = 0; rank < sides.theirs; ++rank)
      remote[static_cast<std::size_t>(rank)] = sides.world_rank_of_remote(rank);
    CHECK(remote_members_of(sides.inter) == remote);
    CHECK(works_across(sides.inter));
  }
}

MPI_CASE("a rank outside of the remote group is an error", 2, 8) {
  const ReturnErrors quiet;
  const TwoSides sides(world, 1);
  const int value = 1;
  MPI_Comm_set_errhandler(sides.inter, MPI_ERRORS_RETURN);
  CHECK_EQ(class_of(MPI_Send(&value, 1, MPI_INT, sides.theirs, 0, sides.inter)), MPI_ERR_RANK);
  CHECK_EQ(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, sides.inter), MPI_SUCCESS);
}

MPI_CASE("leaders' messages never meet a receive of the user", 2, 8) {
  int value = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &request);
  const TwoSides sides(world, world.size / 2);
  int done = 1;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  CHECK_EQ(done, 0);
  MPI_Barrier(world.comm);
  MPI_Send(&world.rank, 1, MPI_INT, (world.rank + 1) % world.size, 1, world.comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(value, (world.rank + world.size - 1) % world.size);
}

MPI_CASE("MPI_Intercomm_merge puts the high group last", 2, 8) {
  const TwoSides sides(world, world.size / 2);
  for (const bool low_first : {true, false}) {
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(sides.inter, sides.low() == low_first ? 0 : 1, &merged);
    int is_inter = 1;
    MPI_Comm_test_inter(merged, &is_inter);
    CHECK_EQ(is_inter, 0);
    std::vector<int> expected(static_cast<std::size_t>(world.size));
    std::iota(expected.begin(), expected.end(), 0);
    if (!low_first) std::rotate(expected.begin(), expected.begin() + world.size / 2, expected.end());
    CHECK(local_members_of(merged) == expected);
    int sum = 0;
    MPI_Allreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK_EQ(sum, world.size * (world.size - 1) / 2);
    MPI_Comm_free(&merged);
  }
}

MPI_CASE("MPI_Intercomm_merge of two groups that say the same keeps each together", 2, 8) {
  const TwoSides sides(world, world.size / 2);
  for (const int high : {0, 1}) {
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(sides.inter, high, &merged);
    const std::vector<int> members = local_members_of(merged);
    CHECK_EQ(local_size_of(merged), world.size);
    std::vector<int> ours = local_members_of(sides.local);
    const auto found = std::search(members.begin(), members.end(), ours.begin(), ours.end());
    CHECK(found == members.begin() || found == members.end() - sides.ours);
    // The same order on every rank.
    int first = members[0];
    MPI_Bcast(&first, 1, MPI_INT, 0, merged);
    CHECK_EQ(first, members[0]);
    MPI_Comm_free(&merged);
  }
}

MPI_CASE("a duplicate of an intercommunicator is congruent and apart", 2, 8) {
  const TwoSides sides(world, world.size / 2);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(sides.inter, &copy);
  CHECK_EQ(relation_of(sides.inter, copy), MPI_CONGRUENT);
  CHECK_EQ(relation_of(sides.inter, sides.inter), MPI_IDENT);
  CHECK_EQ(relation_of(sides.inter, sides.local), MPI_UNEQUAL);
  // What is sent on one is not received on the other.
  const int partner = std::min(sides.rank(), sides.theirs - 1);
  const bool paired = sides.rank() < sides.theirs;
  if (paired) {
    const int first = 1;
    const int second = 2;
    MPI_Request requests[2];
    MPI_Isend(&first, 1, MPI_INT, partner, 0, sides.inter, &requests[0]);
    MPI_Isend(&second, 1, MPI_INT, partner, 0, copy, &requests[1]);
    int got = 0;
    MPI_Recv(&got, 1, MPI_INT, partner, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    CHECK_EQ(got, 2);
    MPI_Recv(&got, 1, MPI_INT, partner, MPI_ANY_TAG, sides.inter, MPI_STATUS_IGNORE);
    CHECK_EQ(got, 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  CHECK(works_across(copy));
  MPI_Comm_free(&copy);
}

MPI_CASE("MPI_Comm_idup of an intercommunicator, several at once", 2, 8) {
  const TwoSides sides(world, world.size - 1);
  std::vector<MPI_Comm> copies(5, MPI_COMM_NULL);
  std::vector<MPI_Request> requests(copies.size());
  for (std::size_t i = 0; i < copies.size(); ++i) MPI_Comm_idup(sides.inter, &copies[i], &requests[i]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (MPI_Comm& copy : copies) {
    CHECK_EQ(relation_of(sides.inter, copy), MPI_CONGRUENT);
    CHECK(works_across(copy));
    MPI_Comm_free(&copy);
  }
}

MPI_CASE("MPI_Comm_split of an intercommunicator makes one for each colour that both sides chose", 2, 8) {
  const TwoSides sides(world, world.size / 2);
  MPI_Comm part = MPI_COMM_WORLD;
  MPI_Comm_split(sides.inter, sides.rank() % 2, -sides.rank(), &part);
  const int color = sides.rank() % 2;
  const int ours = (sides.ours + 1 - color) / 2;
  const int theirs = (sides.theirs + 1 - color) / 2;
  CHECK_EQ(part == MPI_COMM_NULL, theirs == 0);
  if (part != MPI_COMM_NULL) {
    CHECK_EQ(local_size_of(part), ours);
    CHECK_EQ(remote_size_of(part), theirs);
    CHECK_EQ(local_rank_of(part), ours - 1 - sides.rank() / 2);
    CHECK(works_across(part));
    MPI_Comm_free(&part);
  }
  // A colour of one side alone makes nothing, nor does an undefined one.
  MPI_Comm_split(sides.inter, sides.low() ? 1 : MPI_UNDEFINED, 0, &part);
  CHECK(part == MPI_COMM_NULL);
  MPI_Comm_split(sides.inter, sides.low() ? 1 : 2, 0, &part);
  CHECK(part == MPI_COMM_NULL);
}

/// The ranks from `first` to before `end` that are on this rank's node.
int count_here(const Context& world, int first, int end) {
  int count = 0;
  for (int rank = first; rank < end; ++rank) count += world.on_one_node(rank, world.rank) ? 1 : 0;
  return count;
}

/// Whether the part has so many ranks of each side, and works; it is none where one of the sides is empty. Frees it.
bool is_part(MPI_Comm part, int ours, int theirs) {
  if (ours == 0 || theirs == 0) return part == MPI_COMM_NULL;
  const bool good = local_size_of(part) == ours && remote_size_of(part) == theirs && works_across(part);
  MPI_Comm_free(&part);
  return good;
}

MPI_CASE("MPI_Comm_split_type divides both groups of an intercommunicator", 2, 8) {
  const int cut = (world.size + 1) / 3;
  const TwoSides sides(world, cut);
  const int low_here = count_here(world, 0, cut);
  const int high_here = count_here(world, cut, world.size);
  const int ours_here = sides.low() ? low_here : high_here;
  const int behind = count_here(world, world.rank + 1, sides.low() ? cut : world.size);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split_type(sides.inter, MPI_COMM_TYPE_SHARED, -sides.rank(), MPI_INFO_NULL, &part);
  if (part != MPI_COMM_NULL) CHECK_EQ(local_rank_of(part), behind);
  CHECK(is_part(part, ours_here, low_here + high_here - ours_here));
  // Who says MPI_UNDEFINED is left out; a side that says nothing else leaves nobody to the other.
  const bool first = sides.rank() == 0;
  int kind = MPI_COMM_TYPE_SHARED;
  if (!sides.low() && !first) kind = MPI_UNDEFINED;
  MPI_Comm_split_type(sides.inter, kind, 0, MPI_INFO_NULL, &part);
  const int first_here = kind == MPI_UNDEFINED ? 0 : count_here(world, cut, cut + 1);
  CHECK(is_part(part, sides.low() ? low_here : first_here, sides.low() ? first_here : low_here));
  if (!sides.low()) kind = MPI_UNDEFINED;
  MPI_Comm_split_type(sides.inter, kind, 0, MPI_INFO_NULL, &part);
  CHECK(part == MPI_COMM_NULL);
}

MPI_CASE("MPI_Comm_split_type divides two groups by parts of the machine", 2, 8) {
  const int cut = world.size / 2;
  const TwoSides sides(world, cut);
  MPI_Comm part = MPI_COMM_WORLD;
  MPI_Comm_split_type(sides.inter, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &part);
  if (part != MPI_COMM_NULL) {
    CHECK(local_size_of(part) + remote_size_of(part) < world.size);
    CHECK(works_across(part));
    MPI_Comm_free(&part);
  }
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
  MPI_Comm_split_type(sides.inter, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
  const int low_here = count_here(world, 0, cut);
  const int high_here = count_here(world, cut, world.size);
  CHECK(is_part(part, sides.low() ? low_here : high_here, sides.low() ? high_here : low_here));
#if MPI_VERSION >= 5
  MPI_Info_delete(info, "mpi_hw_resource_type");
  MPI_Info_set(info, "mpi_pset_name", "mpi://SELF");
  MPI_Comm_split_type(sides.inter, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part);
  CHECK(part == MPI_COMM_NULL);
#endif
  MPI_Info_free(&info);
}

MPI_CASE("MPI_Comm_create on an intercommunicator takes a group of each side", 2, 8) {
  const TwoSides sides(world, world.size / 2);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(sides.inter, &all);
  const int last = sides.ours - 1;
  MPI_Group chosen = MPI_GROUP_NULL;
  MPI_Group_incl(all, 1, &last, &chosen);
  MPI_Comm part = MPI_COMM_WORLD;
  MPI_Comm_create(sides.inter, chosen, &part);
  CHECK_EQ(part != MPI_COMM_NULL, sides.rank() == last);
  if (part != MPI_COMM_NULL) {
    CHECK_EQ(local_size_of(part), 1);
    CHECK_EQ(remote_size_of(part), 1);
    CHECK_EQ(remote_members_of(part)[0], sides.world_rank_of_remote(sides.theirs - 1));
    CHECK(works_across(part));
    MPI_Comm_free(&part);
  }
  // Nothing from one side: no communicator for either.
  MPI_Comm_create(sides.inter, sides.low() ? chosen : MPI_GROUP_EMPTY, &part);
  CHECK(part == MPI_COMM_NULL);
  MPI_Group_free(&chosen);
  MPI_Group_free(&all);
}

MPI_CASE("intercommunicators of intercommunicators' parts, fifty times", 2, 8) {
  const TwoSides sides(world, world.size / 2);
  for (int i = 0; i < 50; ++i) {
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(sides.inter, sides.low() ? 1 : 0, &merged);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(merged, sides.low() ? 1 : 0, 0, &half);
    MPI_Comm again = MPI_COMM_NULL;
    // The peer communicator may be an intercommunicator itself.
    MPI_Intercomm_create(half, 0, sides.inter, 0, i, &again);
    if (i % 10 == 0) CHECK(works_across(again));
    MPI_Comm_free(&again);
    MPI_Comm_free(&half);
    MPI_Comm_free(&merged);
  }
}

MPI_CASE("groups that overlap make no intercommunicator", 1, 8) {
  const ReturnErrors quiet;
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &local);
  MPI_Comm inter = MPI_COMM_WORLD;
  CHECK(refused_as(MPI_Intercomm_create(local, 0, world.comm, 0, 1, &inter), MPI_ERR_COMM));
  MPI_Comm_free(&local);
}

MPI_CASE("intracommunicators are refused where two groups are needed, and the other way round", 2, 4) {
  const ReturnErrors quiet;
  MPI_Comm none = MPI_COMM_NULL;
  int size = 0;
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(class_of(MPI_Comm_remote_size(world.comm, &size)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Comm_remote_group(world.comm, &group)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Intercomm_merge(world.comm, 0, &none)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Intercomm_create(world.comm, world.size, world.comm, 0, 1, &none)), MPI_ERR_RANK);
  const TwoSides sides(world, 1);
  MPI_Comm_set_errhandler(sides.inter, MPI_ERRORS_RETURN);
  MPI_Comm_group(sides.inter, &group);
  CHECK_EQ(class_of(MPI_Comm_create_group(sides.inter, group, 0, &none)), MPI_ERR_COMM);
  MPI_Group_free(&group);
  CHECK_EQ(class_of(MPI_Intercomm_create(sides.inter, 0, world.comm, 0, 1, &none)), MPI_ERR_COMM);
  const int dim = 1;
  CHECK_EQ(class_of(MPI_Cart_create(sides.inter, 1, &dim, &dim, 0, &none)), MPI_ERR_COMM);
}

}  // namespace
}  // namespace starling::tests
