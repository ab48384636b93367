// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Jobs that connect where the processes of one of them are on several nodes.
#include "support/nodes.hpp"

#include <unistd.h>

#include <string>

#include "mpi/spawn/children.hpp"
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("a port serves a job whose ranks are on several nodes", 1, 8) {
  std::string port(MPI_MAX_PORT_NAME, '\0');
  if (world.rank == 0) MPI_Open_port(MPI_INFO_NULL, port.data());
  MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, world.comm);
  Children children(world.comm, 0, 3, {"connect", port.c_str()});
  MPI_Comm clients = MPI_COMM_NULL;
  MPI_Comm_accept(port.c_str(), MPI_INFO_NULL, 0, world.comm, &clients);
  CHECK_EQ(remote_size_of(clients), 3);
  for (int client = 0; client < 3; ++client) {
    int heard = -1;
    MPI_Recv(&heard, 1, MPI_INT, client, 6, clients, MPI_STATUS_IGNORE);
    CHECK_EQ(heard, client);
  }
  MPI_Comm_disconnect(&clients);
  if (world.rank == 0) MPI_Close_port(port.c_str());
}

MPI_CASE("children run on the host that info names", 1, 8) {
  // That of the last rank, which may be another one than the root's.
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  MPI_Bcast(name, sizeof name, MPI_CHAR, world.size - 1, world.comm);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "host", (std::string(name) + ":2").c_str());
  std::string program = child_program();
  char mode[] = "host";
  char* arguments[] = {mode, nullptr};
  MPI_Comm children = MPI_COMM_NULL;
  MPI_Comm_spawn(program.c_str(), arguments, 2, info, 0, world.comm, &children, MPI_ERRCODES_IGNORE);
  MPI_Info_free(&info);
  CHECK_EQ(remote_size_of(children), 2);
  for (int child = 0; world.rank == 0 && child < 2; ++child) {
    char theirs[256] = "";
    MPI_Recv(theirs, sizeof theirs - 1, MPI_CHAR, child, 1, children, MPI_STATUS_IGNORE);
    CHECK_EQ(std::string(theirs), std::string(name));
  }
  MPI_Comm_disconnect(&children);
}

MPI_CASE("a program that another host lacks is an error on every rank", 2, 8) {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  MPI_Bcast(name, sizeof name, MPI_CHAR, world.size - 1, world.comm);
  const ReturnErrors quiet(world.comm);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "host", name);
  MPI_Comm children = MPI_COMM_WORLD;
  const int code =
      MPI_Comm_spawn("no-such-program", MPI_ARGV_NULL, 1, info, 0, world.comm, &children, MPI_ERRCODES_IGNORE);
  MPI_Info_free(&info);
  CHECK_EQ(class_of(code), MPI_ERR_SPAWN);
  CHECK(children == MPI_COMM_NULL);
}

MPI_CASE("ranks of one node are found among those of several jobs", 1, 8) {
  const bool spans = spans_nodes(world.comm);
  Children children(world.comm, 0, 2, {"count"});
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(children.comm, 0, &all);
  const int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK_EQ(sum, world.size + 2);
  if (world.rank == 0) MPI_Recv(&sum, 1, MPI_INT, 0, 3, children.comm, MPI_STATUS_IGNORE);
  // Memory that all share is promised of no more ranks than have it.
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &others);
  CHECK_EQ(spans_nodes(others), spans);
  MPI_Comm_free(&others);
  MPI_Comm_disconnect(&all);
}

}  // namespace
}  // namespace starling::tests
