// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Communicators: what they are, their names and their info. Their constructors stand in constructors.cpp.
// Source: MPI-5.0, chapters 7.4.1, 7.4.3, 7.4.4, 7.6, 7.8 and 11.10.
#include "api/calls.hpp"

#include <algorithm>
#include <string>

#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/text.hpp"
#include "mpi/comm/release.hpp"
#include "mpi/group/comparison.hpp"
#include "mpi/info/info.hpp"

namespace starling::mpi {
namespace {

int only_for_intercommunicators() {
  return fail(
      Status::error(ErrorClass::kComm,
                    "the communicator is an intracommunicator, so it has no remote group; pass an intercommunicator"));
}

bool is_predefined(MPI_Comm comm) { return comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF; }

}  // namespace

int comm_rank(MPI_Comm comm, int* rank) {
  *rank = current()->comm(comm)->comm->rank();
  return MPI_SUCCESS;
}

int comm_size(MPI_Comm comm, int* size) {
  *size = current()->comm(comm)->comm->size();
  return MPI_SUCCESS;
}

int comm_test_inter(MPI_Comm comm, int* flag) {
  *flag = current()->comm(comm)->comm->is_inter() ? 1 : 0;
  return MPI_SUCCESS;
}

int comm_remote_size(MPI_Comm comm, int* size) {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  if (!communicator.is_inter()) return only_for_intercommunicators();
  *size = communicator.remote_group()->size();
  return MPI_SUCCESS;
}

int comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  if (!communicator.is_inter()) return only_for_intercommunicators();
  return give_group(*current(), communicator.remote_group(), group);
}

int comm_group(MPI_Comm comm, MPI_Group* group) {
  Context& context = *current();
  return give_group(context, context.comm(comm)->comm->group(), group);
}

int comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  Context& context = *current();
  const comm::Communicator& first = *context.comm(comm1)->comm;
  const comm::Communicator& second = *context.comm(comm2)->comm;
  if (&first == &second) {
    *result = MPI_IDENT;
    return MPI_SUCCESS;
  }
  *result = MPI_UNEQUAL;
  if (first.is_inter() != second.is_inter()) return MPI_SUCCESS;
  comm::Comparison groups = first.group()->compare(*second.group());
  if (first.is_inter()) groups = std::max(groups, first.remote_group()->compare(*second.remote_group()));
  // The same groups under two contexts are congruent.
  *result = groups == comm::Comparison::kIdentical ? MPI_CONGRUENT : comparison_code(groups);
  return MPI_SUCCESS;
}

int comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  if (comm == MPI_COMM_NULL) return copy_text("MPI_COMM_NULL", comm_name, MPI_MAX_OBJECT_NAME, resultlen);
  return copy_text(current()->comm(comm)->name, comm_name, MPI_MAX_OBJECT_NAME, resultlen);
}

int comm_set_name(MPI_Comm comm, const char* comm_name) {
  CommObject& object = *current()->comm(comm);
  object.name = std::string(comm_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  if (object.comm->listing) object.comm->listing->rename(object.name);
  return MPI_SUCCESS;
}

int comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  Context& context = *current();
  return give_info(context, *context.comm(comm)->info, info_used);
}

/// The one hint that acts: how this process waits from now on, as STARLING_WAIT says it.
constexpr std::string_view kWaitKey = "starling_wait";

int comm_set_info(MPI_Comm comm, MPI_Info info) {
  Context& context = *current();
  if (info == MPI_INFO_NULL) return MPI_SUCCESS;
  for (const auto& [key, value] : find_info(context, info)->pairs()) {
    if (key == kWaitKey) {
      Status changed = context.world->change(*config::find("WAIT"), value);
      if (!changed.ok()) return fail(Status::error(ErrorClass::kInfoValue, changed.message()));
    }
    context.comm(comm)->info->set(key, value);
  }
  return MPI_SUCCESS;
}

int comm_free(MPI_Comm* comm) {
  if (is_predefined(*comm)) {
    return fail(Status::error(ErrorClass::kComm,
                              "MPI_COMM_WORLD and MPI_COMM_SELF cannot be freed; they live until MPI_Finalize"));
  }
  Context& context = *current();
  CommObject& object = *context.comm(*comm);
  if (const int code = object.attributes->clear(*comm)) {
    return fail(Status::error(static_cast<ErrorClass>(code),
                              "the delete function of an attribute failed, so the object stays"));
  }
  release_comm(context, object);
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
