// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Intercommunicators: made of two groups, and made into one.
// Source: MPI-5.0, chapter 7.6.2.
#include <string>

#include "api/calls.hpp"
#include "base/format.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "world/communicators/intercommunicators.hpp"

namespace starling::mpi {
namespace {

Status bad_leader(const char* name, int rank, int size) {
  return Status::error(ErrorClass::kRank, formatted("{} is {}; the communicator that it leads in has ranks 0 to {}",
                                                    name, rank, size - 1));
}

bool is_rank(int rank, int size) { return rank >= 0 && rank < size; }

/// peer_comm and remote_leader count at the local leader only.
Result<world::PeerLeader> way_to(Context& context, MPI_Comm peer_comm, int remote_leader, int tag) {
  CommObject* peer = context.comm(peer_comm);
  if (peer == nullptr) {
    return Status::error(ErrorClass::kComm,
                         "peer_comm is not a live communicator; the leader of a group has to give one in which it "
                         "reaches the other leader");
  }
  const int size = peer->comm->addressed_size();
  if (!is_rank(remote_leader, size)) return bad_leader("remote_leader", remote_leader, size);
  return world::PeerLeader{peer->comm.get(), remote_leader, tag};
}

}  // namespace

int intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm) {
  Context& context = *current();
  CommObject& local = *context.comm(local_comm);
  if (const int code = refuse_intercomm(local)) return code;
  if (!is_rank(local_leader, local.comm->size())) {
    return fail(bad_leader("local_leader", local_leader, local.comm->size()));
  }
  world::PeerLeader way;
  if (local.comm->rank() == local_leader) {
    Result<world::PeerLeader> found = way_to(context, peer_comm, remote_leader, tag);
    if (!found.ok()) return fail(std::move(found).status());
    way = found.value();
  }
  return give_comm(context, world::intercomm_create(*context.world, *local.comm, local_leader, way), local,
                   newintercomm);
}

int intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  Context& context = *current();
  CommObject& inter = *context.comm(intercomm);
  if (!inter.comm->is_inter()) {
    return fail(Status::error(
        ErrorClass::kComm,
        "the communicator is an intracommunicator, so there are no two groups to merge; pass an intercommunicator"));
  }
  const auto place = high != 0 ? world::Place::kHigh : world::Place::kLow;
  return give_comm(context, world::intercomm_merge(*context.world, *inter.comm, place), inter, newintracomm);
}

}  // namespace starling::mpi
