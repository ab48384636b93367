// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Failures of processes: revoke, shrink, agree, and who has died. Source: MPI Forum, Fault Tolerance Working Group,
// "User Level Failure Mitigation".
#include "api/calls.hpp"

#include <string>
#include <vector>

#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/looking.hpp"
#include "mpi/boundary/status.hpp"
#include "mpi/io/files.hpp"
#include "mpi/rma/win_object.hpp"
#include "resilience/fault_tolerance.hpp"

namespace starling::mpi {
namespace {

comm::Communicator& engine_comm(MPI_Comm comm) { return *current()->comm(comm)->comm; }
comm::Communicator& engine_comm(MPI_Win win) { return win_of(win).window->comm(); }
comm::Communicator& engine_comm(MPI_File file) { return file_of(file).comm(); }

int revoke(comm::Communicator& comm) {
  current()->resilience->revoke(comm);
  return MPI_SUCCESS;
}

int is_revoked(comm::Communicator& comm, int* flag) {
  Context& context = *current();
  *flag = look_again(context, 1, [&] { return context.resilience->is_revoked(comm); }) ? 1 : 0;
  return MPI_SUCCESS;
}

int give_dead(comm::Communicator& comm, std::size_t most, MPI_Group* group) {
  Context& context = *current();
  const resilience::FailureState& failure_state = context.resilience->look_for_deaths(comm);
  // A program may ask in a loop until one more has died.
  const std::size_t known = failure_state.deaths().size();
  look_again(context, 1, [&] { return failure_state.deaths().size() > known; });
  std::vector<ProcessId> processes;
  for (const std::int32_t member : failure_state.deaths()) {
    if (processes.size() == most) break;
    processes.push_back(failure_state.members().processes[static_cast<std::size_t>(member)]);
  }
  return give_group(context, Ref<comm::Group>::adopt(new comm::Group(processes)), group);
}

int give_dead(comm::Communicator& comm, MPI_Group* group) { return give_dead(comm, ~std::size_t{0}, group); }

/// What every request here ends as: nothing was received.
void close(p2p::Request& request, Status failure) {
  request.completion = kEmptyCompletion;
  request.failure = std::move(failure);
}

p2p::Request* start_shrink(Context& context, MPI_Comm comm, MPI_Comm* newcomm) {
  *newcomm = MPI_COMM_NULL;
  const auto parent = Ref<CommObject>::share(context.comm(comm));
  return context.resilience->start_shrink(
      *parent->comm, [&context, parent, newcomm](world::MadeCommunicator made, p2p::Request& request) {
        if (!made.ok() || !made.value()) return close(request, made.ok() ? Status() : std::move(made).status());
        Result<MPI_Comm> handle = context.add_comm(std::move(made).value(), *parent);
        if (handle.ok()) *newcomm = handle.value();
        close(request, std::move(handle).status());
      });
}

p2p::Request* start_agree(Context& context, MPI_Comm comm, int* flag) {
  const auto mine = static_cast<std::uint64_t>(static_cast<std::uint32_t>(*flag));
  return context.resilience->start_agree(
      engine_comm(comm), mine, [flag](const Result<resilience::FaultTolerance::Agreed>& agreed, p2p::Request& request) {
        if (!agreed.ok()) return close(request, agreed.status().copy());
        *flag = static_cast<int>(static_cast<std::uint32_t>(agreed.value().flags));
        Status failure;
        if (agreed.value().unacknowledged) {
          failure =
              Status::error(ErrorClass::kProcFailed,
                            "a member has died, and not all ranks have acknowledged it; all of them learn it from this "
                            "error, and the flag is agreed on all the same. Call MPIX_Comm_failure_ack, and agree "
                            "again");
        }
        close(request, std::move(failure));
      });
}

int complete(Context& context, p2p::Request* request) {
  context.p2p->wait(*request);
  Status failure = std::move(request->failure);
  request->dispose();
  return done(std::move(failure));
}

}  // namespace

int comm_revoke(MPI_Comm comm) { return revoke(engine_comm(comm)); }
int win_revoke(MPI_Win win) { return revoke(engine_comm(win)); }
int file_revoke(MPI_File fh) { return revoke(engine_comm(fh)); }

int comm_is_revoked(MPI_Comm comm, int* flag) { return is_revoked(engine_comm(comm), flag); }
int win_is_revoked(MPI_Win win, int* flag) { return is_revoked(engine_comm(win), flag); }
int file_is_revoked(MPI_File fh, int* flag) { return is_revoked(engine_comm(fh), flag); }

int comm_get_failed(MPI_Comm comm, MPI_Group* failedgrp) { return give_dead(engine_comm(comm), failedgrp); }
int win_get_failed(MPI_Win win, MPI_Group* failedgrp) { return give_dead(engine_comm(win), failedgrp); }
int file_get_failed(MPI_File fh, MPI_Group* failedgrp) { return give_dead(engine_comm(fh), failedgrp); }

int comm_shrink(MPI_Comm comm, MPI_Comm* newcomm) {
  Context& context = *current();
  return complete(context, start_shrink(context, comm, newcomm));
}

int comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  Context& context = *current();
  return context.add_request(start_shrink(context, comm, newcomm), comm, request);
}

int comm_agree(MPI_Comm comm, int* flag) {
  Context& context = *current();
  return complete(context, start_agree(context, comm, flag));
}

int comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request) {
  Context& context = *current();
  return context.add_request(start_agree(context, comm, flag), comm, request);
}

int comm_failure_ack(MPI_Comm comm) {
  comm::Communicator& acked = engine_comm(comm);
  resilience::FaultTolerance& engine = *current()->resilience;
  engine.acknowledge(acked, engine.look_for_deaths(acked).deaths().size());
  return MPI_SUCCESS;
}

int comm_failure_get_acked(MPI_Comm comm, MPI_Group* failedgrp) {
  comm::Communicator& acked = engine_comm(comm);
  return give_dead(acked, current()->resilience->look_for_deaths(acked).acknowledged(), failedgrp);
}

int comm_ack_failed(MPI_Comm comm, int num_to_ack, int* num_acked) {
  if (num_to_ack < 0) {
    return fail(Status::error(ErrorClass::kArg, formatted("num_to_ack is {}; it must be 0 or more", num_to_ack)));
  }
  comm::Communicator& acked = engine_comm(comm);
  resilience::FaultTolerance& engine = *current()->resilience;
  engine.acknowledge(acked, static_cast<std::size_t>(num_to_ack));
  *num_acked = static_cast<int>(engine.look_for_deaths(acked).acknowledged());
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
