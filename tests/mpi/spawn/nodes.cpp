// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What ranks on several nodes are told when they start processes or connect with others. The other cases of this
// chapter run on each node by itself.
#include "support/nodes.hpp"

#include <string>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("ranks on several nodes spawn, accept and connect nothing together", 2, 8) {
  if (!spans_nodes(world.comm)) return;
  const ReturnErrors quiet;
  MPI_Comm other = MPI_COMM_NULL;
  const int spawned =
      MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, world.comm, &other, MPI_ERRCODES_IGNORE);
  CHECK_EQ(class_of(spawned), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(text_of(spawned).find("MPI_Comm_split_type") != std::string::npos);
  char port[MPI_MAX_PORT_NAME] = "";
  if (world.rank == 0) MPI_Open_port(MPI_INFO_NULL, port);
  CHECK_EQ(class_of(MPI_Comm_accept(port, MPI_INFO_NULL, 0, world.comm, &other)), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_EQ(class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, world.comm, &other)), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(other == MPI_COMM_NULL);
  if (world.rank == 0) MPI_Close_port(port);
}

}  // namespace
}  // namespace starling::tests
