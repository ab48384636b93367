// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_split_type: ranks that share a part of the machine. On an intercommunicator it divides both groups, as
// MPI_Comm_split does. Source: MPI-5.0, chapter 7.4.2.
#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "comm/node_numbers.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/info/info.hpp"
#include "mpi/session/process_sets.hpp"
#include "mpi/topology/reorder.hpp"

namespace starling::mpi {
namespace {

using topology::Level;
using topology::Locality;

constexpr const char* kResourceKey = "mpi_hw_resource_type";
constexpr const char* kMemory = "mpi_shared_memory";
constexpr const char* kSetKey = "mpi_pset_name";

struct Division {
  std::int32_t color = world::kNoColor;
  std::string resource;  ///< what the ranks of a new communicator share, where it was ours to choose
};

bool is_split_type(int split_type) {
  return split_type == MPI_COMM_TYPE_SHARED || split_type == MPI_COMM_TYPE_HW_UNGUIDED ||
         split_type == MPI_COMM_TYPE_HW_GUIDED || split_type == MPI_COMM_TYPE_RESOURCE_GUIDED ||
         split_type == MPI_UNDEFINED;
}

comm::NodeNumbers nodes_of(Context& context, const comm::Communicator& comm) {
  return {comm, context.world->placement()};
}

/// The ranks of one node share all memory.
std::int32_t color_of_node(Context& context, const comm::Communicator& comm) {
  return comm.shared_domain() != nullptr ? 0 : nodes_of(context, comm).own();
}

/// Of an object of this node, such as a package: another colour than that of the same object on another node.
std::int32_t color_of_object(Context& context, const comm::Communicator& comm, std::int32_t object) {
  if (object == Locality::kNone) return world::kNoColor;
  if (comm.shared_domain() != nullptr) return object;
  const comm::NodeNumbers nodes = nodes_of(context, comm);
  return object * nodes.count() + nodes.own();
}

/// A rank that is not bound to one object of the resource is not in it.
std::int32_t color_by_resource(Context& context, const comm::Communicator& comm, const std::string& resource) {
  if (resource == kMemory) return color_of_node(context, comm);
  const std::optional<Level> level = topology::level_named(resource);
  return level ? color_of_object(context, comm, topology::locality().at(*level)) : world::kNoColor;
}

/// The sets of one name may differ from rank to rank; each is known by its first member.
std::int32_t color_by_set(Context& context, const CommObject& parent, const std::string& name) {
  // The other sets are of one job, and a process alone is in no two groups.
  if (parent.comm->is_inter()) return name == "mpi://WORLD" ? 0 : world::kNoColor;
  Result<Ref<comm::Group>> set = process_set(*context.world, name);
  if (!set.ok()) return world::kNoColor;
  const bool is_member = set.value()->rank_of(process_of(context.world->rank())) != comm::Group::kNotMember;
  return is_member ? set.value()->process(0).value : world::kNoColor;
}

std::int32_t guided_color(Context& context, const CommObject& parent, int split_type, const Info& info) {
  if (const std::string* resource = info.get(kResourceKey)) {
    return color_by_resource(context, *parent.comm, *resource);
  }
  const std::string* set = info.get(kSetKey);
  return set != nullptr && split_type == MPI_COMM_TYPE_RESOURCE_GUIDED ? color_by_set(context, parent, *set)
                                                                       : world::kNoColor;
}

/// Of both groups of an intercommunicator.
Result<std::vector<Locality>> all_localities(Context& context, comm::Communicator& comm) {
  Result<std::vector<Locality>> all = localities(context, comm);
  if (!all.ok() || !comm.is_inter()) return all;
  Result<std::vector<Locality>> own = localities(context, *comm.local());
  if (own.ok()) own.value().insert(own.value().end(), all.value().begin(), all.value().end());
  return own;
}

/// The largest part of the machine that tells the ranks apart: a node, or a level of its hardware if every rank is in
/// an object of it.
Result<Division> unguided(Context& context, const CommObject& parent) {
  if (parent.comm->shared_domain() == nullptr) return Division{color_of_node(context, *parent.comm), kMemory};
  Result<std::vector<Locality>> all = all_localities(context, *parent.comm);
  if (!all.ok()) return std::move(all).status();
  for (std::size_t i = 0; i < topology::kLevels; ++i) {
    const auto level = static_cast<Level>(i);
    std::set<std::int32_t> objects;
    for (const Locality& locality : all.value()) objects.insert(locality.at(level));
    if (objects.contains(Locality::kNone) || objects.size() < 2) continue;
    return Division{topology::locality().at(level), topology::name(level)};
  }
  return Division();
}

Result<Division> divide(Context& context, const CommObject& parent, int split_type, MPI_Info info) {
  if (split_type == MPI_COMM_TYPE_SHARED) return Division{color_of_node(context, *parent.comm), {}};
  if (split_type == MPI_COMM_TYPE_HW_UNGUIDED) return unguided(context, parent);
  if (split_type == MPI_UNDEFINED || info == MPI_INFO_NULL) return Division();
  return Division{guided_color(context, parent, split_type, *find_info(context, info)), {}};
}

}  // namespace

int comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  if (!is_split_type(split_type)) {
    return fail(Status::error(
        ErrorClass::kArg,
        formatted("split_type is {}; it must be MPI_COMM_TYPE_SHARED, another MPI_COMM_TYPE_ constant or MPI_UNDEFINED",
                  split_type)));
  }
  Context& context = *current();
  CommObject& parent = *context.comm(comm);
  Result<Division> division = divide(context, parent, split_type, info);
  if (!division.ok()) return fail(std::move(division).status());
  const std::int32_t color = division.value().color;
  if (const int code = give_comm(context, world::split(*context.world, *parent.comm, color, key), parent, newcomm)) {
    return code;
  }
  const std::string& resource = division.value().resource;
  if (*newcomm == MPI_COMM_NULL || resource.empty()) return MPI_SUCCESS;
  context.comm(*newcomm)->info->set(kResourceKey, resource);
  if (info != MPI_INFO_NULL) find_info(context, info)->set(kResourceKey, resource);
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
