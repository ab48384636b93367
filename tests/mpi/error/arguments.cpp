// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Wrong arguments: each is answered with the class of the standard, before anything is sent. What the messages say is
// tested in outside/, where they reach a user.
#include <string>

#include "mpi/error/mistakes.hpp"
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("every wrong argument has the class of the standard", 1, 4) {
  const ReturnErrors quiet;
  Mistakes mistakes;
  for (const Mistake& mistake : mistakes.all()) {
    const int code = mistake.make();
    if (class_of(code) == mistake.error_class) continue;
    FAIL(std::string(mistake.call) + " with a wrong " + mistake.argument + ": " + text_of(code) + ", expected " +
         text_of(mistake.error_class));
  }
}

MPI_CASE("predefined objects cannot be freed", 1, 2) {
  const ReturnErrors quiet;
  MPI_Comm comm = MPI_COMM_WORLD;
  CHECK(MPI_Comm_free(&comm) != MPI_SUCCESS);
  MPI_Datatype type = MPI_INT;
  CHECK_EQ(class_of(MPI_Type_free(&type)), MPI_ERR_TYPE);
  MPI_Op op = MPI_SUM;
  CHECK_EQ(class_of(MPI_Op_free(&op)), MPI_ERR_OP);
  int size = 0;
  CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
  CHECK_EQ(size, world.size);
}

#if MPI_VERSION >= 5
/// A handle that was freed names nothing; Starling notices, whatever has been made since.
MPI_CASE("freed handles are noticed", 1, 2) {
  const ReturnErrors quiet;
  int value = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  const MPI_Comm stale_comm = comm;
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  CHECK_EQ(class_of(MPI_Send(&value, 1, MPI_INT, 0, 1, stale_comm)), MPI_ERR_COMM);
  MPI_Comm_free(&comm);

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const MPI_Datatype stale_type = type;
  MPI_Type_free(&type);
  CHECK_EQ(class_of(MPI_Send(&value, 1, stale_type, 0, 1, MPI_COMM_SELF)), MPI_ERR_TYPE);

  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Request stale_request = request;
  MPI_Request_free(&request);
  CHECK_EQ(class_of(MPI_Wait(&stale_request, MPI_STATUS_IGNORE)), MPI_ERR_REQUEST);
}
#endif

MPI_CASE("a mistake leaves the communicator usable", 2, 4) {
  const ReturnErrors quiet;
  int value = world.rank;
  for (int i = 0; i < 100; ++i) {
    CHECK(MPI_Send(&value, 1, MPI_INT, world.size, 1, world.comm) != MPI_SUCCESS);
    int other = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, (world.rank + 1) % world.size, 1, &other, 1, MPI_INT,
                 (world.rank + world.size - 1) % world.size, 1, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(other, (world.rank + world.size - 1) % world.size);
  }
}

}  // namespace
}  // namespace starling::tests
