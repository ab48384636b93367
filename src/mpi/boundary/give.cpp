// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/give.hpp"

#include "mpi/boundary/fail.hpp"

namespace starling::mpi {

int give_comm(Context& context, world::MadeCommunicator made, const CommObject& parent, MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  if (!made.ok()) return fail(std::move(made).status());
  if (!made.value()) return MPI_SUCCESS;
  Result<MPI_Comm> handle = context.add_comm(std::move(made).value(), parent);
  if (!handle.ok()) return fail(std::move(handle).status());
  *newcomm = handle.value();
  return MPI_SUCCESS;
}

int give_group(Context& context, Ref<comm::Group> group, MPI_Group* newgroup) {
  Result<MPI_Group> made = context.add_group(std::move(group));
  if (!made.ok()) return fail(std::move(made).status());
  *newgroup = made.value();
  return MPI_SUCCESS;
}

int refuse_intercomm(const CommObject& comm) {
  if (!comm.comm->is_inter()) return MPI_SUCCESS;
  return fail(Status::error(ErrorClass::kComm,
                            "the communicator is an intercommunicator, and the call is for intracommunicators; "
                            "MPI_Intercomm_merge makes one of it"));
}

}  // namespace starling::mpi
