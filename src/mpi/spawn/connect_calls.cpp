// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Connections between jobs that started independently, and their end. Source: MPI-5.0, chapters 11.9 and 11.10.
#include <string>

#include "api/calls.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/give.hpp"
#include "mpi/boundary/text.hpp"
#include "mpi/p2p/send_buffer.hpp"
#include "world/dynamic/join.hpp"
#include "world/dynamic/spawn.hpp"

namespace starling::mpi {
namespace {

int give_port_name(Result<std::string> name, char* port_name) {
  if (!name.ok()) return fail(std::move(name).status());
  int length = 0;
  return copy_text(name.value(), port_name, MPI_MAX_PORT_NAME, &length);
}

using Meet = world::MadeCommunicator (*)(world::World&, comm::Communicator&, std::int32_t, const std::string&);

int meet_at(Meet meet, const char* port_name, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  Context& context = *current();
  CommObject& parent = *context.comm(comm);
  *newcomm = MPI_COMM_NULL;
  if (const int code = refuse_intercomm(parent)) return code;
  const std::string port = parent.comm->rank() == root ? port_name : "";
  return give_comm(context, meet(*context.world, *parent.comm, root, port), parent, newcomm);
}

}  // namespace

int open_port(MPI_Info /*info*/, char* port_name) {
  return give_port_name(current()->world->ports().open(current()->world->config()), port_name);
}

int close_port(const char* port_name) { return done(current()->world->ports().close(port_name)); }

int comm_accept(const char* port_name, MPI_Info /*info*/, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return meet_at(world::accept, port_name, root, comm, newcomm);
}

int comm_connect(const char* port_name, MPI_Info /*info*/, int root, MPI_Comm comm, MPI_Comm* newcomm) {
  return meet_at(world::connect, port_name, root, comm, newcomm);
}

int comm_join(int fd, MPI_Comm* intercomm) {
  Context& context = *current();
  *intercomm = MPI_COMM_NULL;
  return give_comm(context, world::join(*context.world, fd), *context.self_comm, intercomm);
}

int comm_disconnect(MPI_Comm* comm) {
  Context& context = *current();
  if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF) return comm_free(comm);
  CommObject& object = *context.comm(*comm);
  flush(context, object.buffer);
  if (Status parted = world::wait_for_both_groups(*context.world, *object.comm); !parted.ok())
    return fail(std::move(parted));
  if (const int code = comm_free(comm)) return code;
  context.world->connections().close_finished();
  return MPI_SUCCESS;
}

int publish_name(const char* service_name, MPI_Info /*info*/, const char* port_name) {
  return done(current()->world->names().publish(service_name, port_name));
}

int unpublish_name(const char* service_name, MPI_Info /*info*/, const char* /*port_name*/) {
  return done(current()->world->names().unpublish(service_name));
}

int lookup_name(const char* service_name, MPI_Info /*info*/, char* port_name) {
  return give_port_name(current()->world->names().look_up(service_name), port_name);
}

}  // namespace starling::mpi
