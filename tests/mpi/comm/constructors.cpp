// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicator constructors: who is in, in which order, and that each is a world of its own (MPI-5.0, 7.4).
#include <algorithm>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Empty: the key is not there.
std::string info_value(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int length = MPI_MAX_INFO_VAL;
  int found = 0;
  MPI_Info_get_string(info, key, &length, value, &found);
  return value;
}

int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

MPI_Group group_of(MPI_Group all, const std::vector<int>& ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group);
  return group;
}

/// The ranks that are even, or odd, as this one is.
std::vector<int> same_parity(const Context& world) {
  std::vector<int> ranks;
  for (int rank = world.rank % 2; rank < world.size; rank += 2) ranks.push_back(rank);
  return ranks;
}

/// The world ranks of a communicator's members, in its order.
std::vector<int> members_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world_group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  std::vector<int> ranks(static_cast<std::size_t>(size_of(comm)));
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
  std::vector<int> in_world(ranks.size());
  MPI_Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), world_group, in_world.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world_group);
  return in_world;
}

/// Whether messages and collectives of the communicator work.
bool works(MPI_Comm comm) {
  const int rank = rank_in(comm);
  const int size = size_of(comm);
  int sum = -1;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  int from = -1;
  const int previous = (rank + size - 1) % size;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &from, 1, MPI_INT, previous, 1, comm, MPI_STATUS_IGNORE);
  return sum == size * (size - 1) / 2 && from == previous;
}

MPI_CASE("the predefined communicators", 1, 8) {
  CHECK_EQ(size_of(MPI_COMM_SELF), 1);
  CHECK_EQ(rank_in(MPI_COMM_SELF), 0);
  CHECK_EQ(members_of(MPI_COMM_SELF)[0], world.rank);
  CHECK(works(MPI_COMM_SELF));
  int is_inter = -1;
  MPI_Comm_test_inter(MPI_COMM_WORLD, &is_inter);
  CHECK_EQ(is_inter, 0);
}

MPI_CASE("a duplicate is congruent and apart", 1, 8) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  int result = -1;
  MPI_Comm_compare(world.comm, comm, &result);
  CHECK_EQ(result, MPI_CONGRUENT);
  MPI_Comm_compare(world.comm, world.comm, &result);
  CHECK_EQ(result, MPI_IDENT);
  CHECK(works(comm));
  MPI_Comm_free(&comm);
  CHECK(comm == MPI_COMM_NULL);
}

MPI_CASE("duplicates of duplicates, two hundred times", 1, 8) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  for (int i = 0; i < 200; ++i) {
    MPI_Comm next = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &next);
    MPI_Comm_free(&comm);
    comm = next;
  }
  CHECK(works(comm));
  MPI_Comm_free(&comm);
}

MPI_CASE("MPI_Comm_idup and MPI_Comm_dup_with_info", 1, 8) {
  MPI_Comm comms[3] = {MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_NULL};
  MPI_Request requests[2];
  MPI_Comm_idup(world.comm, &comms[0], &requests[0]);
  MPI_Comm_idup(world.comm, &comms[1], &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "false");
  MPI_Comm_dup_with_info(world.comm, info, &comms[2]);
  MPI_Info_free(&info);
  for (MPI_Comm& comm : comms) {
    CHECK(works(comm));
    MPI_Comm_free(&comm);
  }
}

#if MPI_VERSION >= 4
MPI_CASE("MPI_Comm_idup_with_info makes a duplicate that has the hints", 1, 8) {
  MPI_Info hints = MPI_INFO_NULL;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "false");
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_idup_with_info(world.comm, hints, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Info_free(&hints);
  CHECK(works(comm));
  int relation = -1;
  MPI_Comm_compare(world.comm, comm, &relation);
  CHECK_EQ(relation, MPI_CONGRUENT);
  MPI_Comm_free(&comm);
}
#endif

MPI_CASE("MPI_Comm_split makes one communicator for each colour, ordered by key", 1, 8) {
  for (const int colors : {1, 2, 3}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(world.comm, world.rank % colors, -world.rank, &comm);
    std::vector<int> expected;
    for (int rank = world.size - 1; rank >= 0; --rank) {
      if (rank % colors == world.rank % colors) expected.push_back(rank);
    }
    CHECK(members_of(comm) == expected);
    CHECK(works(comm));
    int result = -1;
    MPI_Comm_compare(world.comm, comm, &result);
    const bool same_members = static_cast<int>(expected.size()) == world.size;
    int relation = MPI_UNEQUAL;
    if (same_members) relation = MPI_SIMILAR;
    if (world.size == 1) relation = MPI_CONGRUENT;
    CHECK_EQ(result, relation);
    MPI_Comm_free(&comm);
  }
}

MPI_CASE("equal keys keep the old order", 1, 8) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(world.comm, 5, 0, &comm);
  CHECK_EQ(rank_in(comm), world.rank);
  MPI_Comm_free(&comm);
}

MPI_CASE("an undefined colour is left out", 1, 8) {
  MPI_Comm comm = MPI_COMM_WORLD;
  const bool out = world.rank % 2 == 1;
  MPI_Comm_split(world.comm, out ? MPI_UNDEFINED : 7, world.rank, &comm);
  CHECK((comm == MPI_COMM_NULL) == out);
  if (comm != MPI_COMM_NULL) {
    CHECK_EQ(size_of(comm), (world.size + 1) / 2);
    CHECK(works(comm));
    MPI_Comm_free(&comm);
  }
  MPI_Comm_split(world.comm, MPI_UNDEFINED, 0, &comm);
  CHECK(comm == MPI_COMM_NULL);
}

MPI_CASE("a negative colour is an error", 1, 2) {
  const ReturnErrors quiet;
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &parent);
  MPI_Comm comm = MPI_COMM_NULL;
  const int code = MPI_Comm_split(parent, -5, 0, &comm);
  CHECK_EQ(class_of(code), MPI_ERR_ARG);
  MPI_Comm_free(&parent);
}

/// Those of the job on this rank's node.
std::vector<int> neighbours_of(const Context& world) {
  std::vector<int> ranks;
  for (int rank = 0; rank < world.size; ++rank) {
    if (world.on_one_node(rank, world.rank)) ranks.push_back(rank);
  }
  return ranks;
}

MPI_CASE("MPI_Comm_split_type groups the ranks that share memory", 1, 8) {
  const std::vector<int> here = neighbours_of(world);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  CHECK(members_of(comm) == here);
  CHECK(works(comm));
  MPI_Comm_free(&comm);
  const bool out = world.rank % 2 == 1;
  int kind = MPI_COMM_TYPE_SHARED;
  if (out) kind = MPI_UNDEFINED;
  MPI_Comm_split_type(world.comm, kind, -world.rank, MPI_INFO_NULL, &comm);
  CHECK((comm == MPI_COMM_NULL) == out);
  if (comm == MPI_COMM_NULL) return;
  CHECK_EQ(size_of(comm), std::count_if(here.begin(), here.end(), [](int rank) { return rank % 2 == 0; }));
  CHECK(works(comm));
  MPI_Comm_free(&comm);
}

MPI_CASE("MPI_Comm_split_type by a part of the machine keeps ranks together that are in the same", 1, 8) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  std::vector<int> kinds = {MPI_COMM_TYPE_HW_GUIDED};
#if MPI_VERSION >= 5
  kinds.push_back(MPI_COMM_TYPE_RESOURCE_GUIDED);
#endif
  for (const char* resource : {"mpi_shared_memory", "Package", "hwloc://L3Cache", "Core", "no such thing"}) {
    MPI_Info_set(info, "mpi_hw_resource_type", resource);
    for (const int kind : kinds) {
      MPI_Comm comm = MPI_COMM_WORLD;
      MPI_Comm_split_type(world.comm, kind, 0, info, &comm);
      if (std::string(resource) == "mpi_shared_memory") CHECK(members_of(comm) == neighbours_of(world));
      if (std::string(resource) == "no such thing") CHECK(comm == MPI_COMM_NULL);
      if (comm == MPI_COMM_NULL) continue;
      for (const int member : members_of(comm)) CHECK(world.on_one_node(member, world.rank));
      CHECK(works(comm));
      MPI_Comm_free(&comm);
    }
  }
  MPI_Info_free(&info);
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &comm);
  CHECK(comm == MPI_COMM_NULL);
}

#if MPI_VERSION >= 5
/// The ranks of the world that are in this rank's process set of the name; none where it is in no such set.
std::vector<int> members_by_set(Context& world, const char* name) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_pset_name", name);
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm);
  MPI_Info_free(&info);
  if (comm == MPI_COMM_NULL) return {};
  const std::vector<int> members = members_of(comm);
  CHECK(works(comm));
  MPI_Comm_free(&comm);
  return members;
}

MPI_CASE("MPI_Comm_split_type takes the ranks of a process set", 1, 8) {
  CHECK_EQ(static_cast<int>(members_by_set(world, "mpi://WORLD").size()), world.size);
  CHECK(members_by_set(world, "mpi://SELF") == std::vector<int>{world.rank});
  CHECK(members_by_set(world, "mpi://NOWHERE").empty());
#ifdef MPI_ABI_VERSION
  CHECK(members_by_set(world, "starling://node") == neighbours_of(world));
  const bool with_first = world.on_one_node(world.rank, 0);
  CHECK(members_by_set(world, "starling://node/0") == (with_first ? neighbours_of(world) : std::vector<int>()));
#endif
}
#endif

MPI_CASE("MPI_Comm_split_type without guidance makes smaller parts or none", 1, 8) {
  MPI_Info asked = MPI_INFO_NULL;
  MPI_Info_create(&asked);
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_split_type(world.comm, MPI_COMM_TYPE_HW_UNGUIDED, 0, asked, &comm);
  const std::string shared = info_value(asked, "mpi_hw_resource_type");
  MPI_Info_free(&asked);
  int none = 0;
  const int mine = comm == MPI_COMM_NULL ? 1 : 0;
  MPI_Allreduce(&mine, &none, 1, MPI_INT, MPI_SUM, world.comm);
  CHECK(none == 0 || none == world.size);
  CHECK_EQ(shared.empty(), comm == MPI_COMM_NULL);
  const std::vector<int> here = neighbours_of(world);
  const bool spans_nodes = static_cast<int>(here.size()) < world.size;
  if (spans_nodes) CHECK_EQ(shared, std::string("mpi_shared_memory"));
  if (comm == MPI_COMM_NULL) return;
  if (spans_nodes) CHECK(members_of(comm) == here);
  CHECK(size_of(comm) < world.size);
  CHECK(works(comm));
  MPI_Comm_free(&comm);
}

MPI_CASE("a group makes a communicator without a parent", 1, 8) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(world.comm, &all);
  const std::vector<int> chosen = same_parity(world);
  MPI_Group mine = group_of(all, chosen);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_from_group(mine, "starling.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  CHECK(members_of(comm) == chosen);
  CHECK(works(comm));
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  if (world.size > 1) {
    MPI_Group others = MPI_GROUP_NULL;
    MPI_Group_difference(all, mine, &others);
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create_from_groups(mine, 0, others, 0, "starling.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
    int theirs = -1;
    MPI_Comm_remote_size(inter, &theirs);
    CHECK_EQ(theirs, world.size - static_cast<int>(chosen.size()));
    int heard = -1;
    const int here = rank_in(inter);
    if (here < theirs) MPI_Sendrecv(&here, 1, MPI_INT, here, 0, &heard, 1, MPI_INT, here, 0, inter, MPI_STATUS_IGNORE);
    CHECK(heard == here || here >= theirs);
    MPI_Comm_free(&inter);
    MPI_Group_free(&others);
  }
  MPI_Group_free(&mine);
  MPI_Group_free(&all);
}

MPI_CASE("MPI_Comm_create takes a subset in the group's order", 1, 8) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(world.comm, &all);
  std::vector<int> chosen;
  for (int rank = world.size - 1; rank >= 0; rank -= 2) chosen.push_back(rank);
  MPI_Group some = group_of(all, chosen);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create(world.comm, some, &comm);
  const bool in = std::find(chosen.begin(), chosen.end(), world.rank) != chosen.end();
  CHECK((comm != MPI_COMM_NULL) == in);
  if (comm != MPI_COMM_NULL) {
    CHECK(members_of(comm) == chosen);
    CHECK(works(comm));
    MPI_Comm_free(&comm);
  }
  MPI_Comm_create(world.comm, MPI_GROUP_EMPTY, &comm);
  CHECK(comm == MPI_COMM_NULL);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
}

MPI_CASE("MPI_Comm_create makes disjoint communicators in one call", 2, 8) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(world.comm, &all);
  const std::vector<int> chosen = same_parity(world);
  MPI_Group mine = group_of(all, chosen);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create(world.comm, mine, &comm);
  CHECK(members_of(comm) == chosen);
  CHECK(works(comm));
  MPI_Comm_free(&comm);
  MPI_Group_free(&mine);
  MPI_Group_free(&all);
}

MPI_CASE("MPI_Comm_create_group needs only the members of the group", 1, 8) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(world.comm, &all);
  for (int left_out = 0; left_out < world.size && world.size > 1; ++left_out) {
    if (world.rank == left_out) continue;
    MPI_Group others = MPI_GROUP_NULL;
    MPI_Group_excl(all, 1, &left_out, &others);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create_group(world.comm, others, left_out, &comm);
    CHECK_EQ(size_of(comm), world.size - 1);
    CHECK(works(comm));
    MPI_Comm_free(&comm);
    MPI_Group_free(&others);
  }
  MPI_Comm whole = MPI_COMM_NULL;
  MPI_Comm_create_group(world.comm, all, 5, &whole);
  CHECK(works(whole));
  MPI_Comm_free(&whole);
  MPI_Group_free(&all);
}

MPI_CASE("a freed communicator still delivers what was under way", 2, 2) {
  std::vector<int> values(100000, world.rank == 0 ? 4 : 0);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = static_cast<int>(values.size());
  if (world.rank == 0) {
    MPI_Isend(values.data(), count, MPI_INT, 1, 1, comm, &request);
  } else {
    MPI_Irecv(values.data(), count, MPI_INT, 0, 1, comm, &request);
  }
  MPI_Comm_free(&comm);
  MPI_Status status;
  MPI_Wait(&request, &status);
  if (world.rank == 1) CHECK(describes(status, 0, 1, count * static_cast<int>(sizeof(int))));
  CHECK_EQ(std::count(values.begin(), values.end(), 4), count);
}

MPI_CASE("halves of halves down to single ranks", 1, 8) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  while (size_of(comm) > 1) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(comm, rank_in(comm) < size_of(comm) / 2, 0, &half);
    CHECK(works(half));
    MPI_Comm_free(&comm);
    comm = half;
  }
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace starling::tests
