// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ports, published names and sockets (MPI-5.0, 11.9 and 11.10).
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "mpi/spawn/children.hpp"
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

std::string open_port() {
  char name[MPI_MAX_PORT_NAME] = "";
  MPI_Open_port(MPI_INFO_NULL, name);
  return name;
}

/// A name of its own for each job, and for each of its nodes.
std::string service(Context& world, const char* word) { return std::string(word) + " of " + own_name(world.comm); }

std::string look_up(const std::string& name) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Lookup_name(name.c_str(), MPI_INFO_NULL, port);
  return port;
}

MPI_CASE("a spawned job connects with a port of those who spawned it", 1, 8) {
  std::string port(MPI_MAX_PORT_NAME, '\0');
  const int root = world.size - 1;
  if (world.rank == root) port = open_port();
  port.resize(MPI_MAX_PORT_NAME);
  MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, root, world.comm);
  Children children(world.comm, 0, 2, {"connect", port.c_str()});
  MPI_Comm clients = MPI_COMM_NULL;
  MPI_Comm_accept(world.rank == root ? port.c_str() : nullptr, MPI_INFO_NULL, root, world.comm, &clients);
  CHECK_EQ(remote_size_of(clients), 2);
  for (int client = 0; client < 2; ++client) {
    int heard = -1;
    MPI_Recv(&heard, 1, MPI_INT, client, 6, clients, MPI_STATUS_IGNORE);
    CHECK_EQ(heard, client);
  }
  MPI_Comm_disconnect(&clients);
  if (world.rank == root) MPI_Close_port(port.c_str());
}

MPI_CASE("one port serves one group after the other", 2, 8) {
  std::string port(MPI_MAX_PORT_NAME, '\0');
  if (world.rank == 0) port = open_port();
  port.resize(MPI_MAX_PORT_NAME);
  MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, world.comm);
  for (int client = 1; client < world.size; ++client) {
    MPI_Comm comm = MPI_COMM_NULL;
    if (world.rank == 0) {
      MPI_Comm_accept(port.c_str(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
      int heard = -1;
      MPI_Recv(&heard, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
      MPI_Send(&heard, 1, MPI_INT, 0, 0, comm);
    } else if (client == 1) {  // all clients call at once
      MPI_Comm_connect(port.c_str(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
      MPI_Send(&world.rank, 1, MPI_INT, 0, 0, comm);
      int back = -1;
      MPI_Recv(&back, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
      CHECK_EQ(back, world.rank);
    }
    if (comm != MPI_COMM_NULL) MPI_Comm_disconnect(&comm);
  }
  if (world.rank == 0) MPI_Close_port(port.c_str());
}

MPI_CASE("a port that is closed or never was is an error", 1, 4) {
  const ReturnErrors quiet(world.comm);
  MPI_Comm comm = MPI_COMM_NULL;
  const std::string port = open_port();
  CHECK_EQ(MPI_Close_port(port.c_str()), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Close_port(port.c_str())), MPI_ERR_PORT);
  CHECK_EQ(class_of(MPI_Comm_connect(port.c_str(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm)), MPI_ERR_PORT);
  CHECK_EQ(class_of(MPI_Comm_accept("a harbour", MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm)), MPI_ERR_PORT);
  CHECK(comm == MPI_COMM_NULL);
}

MPI_NODE_CASE("a published name is found until it is taken back", 1, 4) {
  const std::string name = service(world, "A name / with \"everything\"");
  const std::string port = "port of rank " + std::to_string(0);
  if (world.rank == 0) MPI_Publish_name(name.c_str(), MPI_INFO_NULL, port.c_str());
  MPI_Barrier(world.comm);
  CHECK_EQ(look_up(name), port);
  MPI_Barrier(world.comm);
  const ReturnErrors quiet(world.comm);
  if (world.rank == 0) {
    CHECK_EQ(class_of(MPI_Publish_name(name.c_str(), MPI_INFO_NULL, port.c_str())), MPI_ERR_SERVICE);
    CHECK_EQ(MPI_Unpublish_name(name.c_str(), MPI_INFO_NULL, port.c_str()), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Unpublish_name(name.c_str(), MPI_INFO_NULL, port.c_str())), MPI_ERR_SERVICE);
  }
  MPI_Barrier(world.comm);
  char found[MPI_MAX_PORT_NAME] = "";
  CHECK_EQ(class_of(MPI_Lookup_name(name.c_str(), MPI_INFO_NULL, found)), MPI_ERR_NAME);
}

/// Two ends of a connection over the loopback device, between rank 0 and rank 1.
int connected_socket(Context& world) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  const int own = socket(AF_INET, SOCK_STREAM, 0);
  if (world.rank == 0) {
    bind(own, plain, length);
    listen(own, 1);
    getsockname(own, plain, &length);
    const int number = address.sin_port;
    MPI_Send(&number, 1, MPI_INT, 1, 0, world.comm);
    const int accepted = accept(own, nullptr, nullptr);
    close(own);
    return accepted;
  }
  int number = 0;
  MPI_Recv(&number, 1, MPI_INT, 0, 0, world.comm, MPI_STATUS_IGNORE);
  address.sin_port = static_cast<in_port_t>(number);
  CHECK_EQ(connect(own, plain, length), 0);
  return own;
}

MPI_NODE_CASE("MPI_Comm_join makes an intercommunicator of two ends of a socket", 2, 3) {
  if (world.rank > 1) return;
  const int socket = connected_socket(world);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_join(socket, &other);
  CHECK_EQ(remote_size_of(other), 1);
  int heard = -1;
  MPI_Sendrecv(&world.rank, 1, MPI_INT, 0, 0, &heard, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
  CHECK_EQ(heard, 1 - world.rank);
  MPI_Comm_disconnect(&other);
  // The socket is as it was: empty, and ours.
  char word = 'x';
  if (world.rank == 0) CHECK_EQ(write(socket, &word, 1), 1);
  if (world.rank == 1) {
    CHECK_EQ(read(socket, &word, 1), 1);
    CHECK_EQ(word, 'x');
  }
  close(socket);
}

MPI_NODE_CASE("MPI_Comm_join over what is no socket is an error", 1, 1) {
  const ReturnErrors quiet(world.comm);
  MPI_Comm other = MPI_COMM_NULL;
  CHECK(MPI_Comm_join(-1, &other) != MPI_SUCCESS);
  CHECK(other == MPI_COMM_NULL);
}

}  // namespace
}  // namespace starling::tests
