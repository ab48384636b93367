// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/requests.hpp"

#include "mpi/owned_communicator.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("of requests that lie apart the one that is complete is found", 1, 8) {
  struct Message {
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Message messages[3];
  const int next = (world.rank + 1) % world.size;
  const int before = (world.rank + world.size - 1) % world.size;
  for (int tag : {0, 2}) MPI_Irecv(&messages[tag].value, 1, MPI_INT, before, tag, world.comm, &messages[tag].request);
  MPI_Request sending = MPI_REQUEST_NULL;
  MPI_Isend(&world.rank, 1, MPI_INT, next, 2, world.comm, &sending);
  MPI_Request* const places[] = {&messages[0].request, &messages[1].request, &messages[2].request};
  int which = MPI_UNDEFINED;
  MPI_Status status;
  CHECK_EQ(any_mpi::wait_any(places, which, &status), MPI_SUCCESS);
  CHECK_EQ(which, 2);
  CHECK_EQ(messages[2].value, before);
  CHECK_EQ(status.MPI_SOURCE, before);
  CHECK(messages[2].request == MPI_REQUEST_NULL);
  CHECK(messages[0].request != MPI_REQUEST_NULL);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  any_mpi::cancel(messages[0].request);
  CHECK(messages[0].request == MPI_REQUEST_NULL);
  CHECK_EQ(any_mpi::wait_any(places, which), MPI_SUCCESS);
  CHECK_EQ(which, MPI_UNDEFINED);
}

MPI_CASE("a receive is given up whether or not a message has come", 1, 8) {
  any_mpi::OwnedCommunicator self;
  any_mpi::duplicate(MPI_COMM_SELF, self);
  for (const bool comes : {false, true}) {
    int value = 0;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, self.get(), &receive);
    if (comes) MPI_Send(&world.size, 1, MPI_INT, 0, 0, self.get());
    any_mpi::cancel(receive);
    CHECK(receive == MPI_REQUEST_NULL);
    if (comes) CHECK_EQ(value, world.size);
  }
}

}  // namespace
}  // namespace starling::tests
