// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Cancelling: an operation either was cancelled, wholly, or it completed as if nobody had tried (MPI-5.0, 3.8.4).
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

MPI_CASE("a receive that matched nothing is cancelled", 1, 4) {
  const int sources[] = {MPI_ANY_SOURCE, world.rank};
  for (const int source : sources) {
    int value = 3;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_INT, source, 1, world.comm, &request);
    MPI_Cancel(&request);
    CHECK(request != MPI_REQUEST_NULL);
    MPI_Status status{};
    MPI_Wait(&request, &status);
    CHECK(is_cancelled(status));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_EQ(value, 3);
  }
}

MPI_CASE("a cancelled receive leaves its message to the next one", 1, 4) {
  int values[3] = {-1, -1, -1};
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) MPI_Irecv(&values[i], 1, MPI_INT, world.rank, 1, world.comm, &requests[i]);
  MPI_Cancel(&requests[1]);
  for (int i = 0; i < 2; ++i) MPI_Send(&i, 1, MPI_INT, world.rank, 1, world.comm);
  MPI_Status statuses[3];
  MPI_Waitall(3, requests, statuses);
  CHECK(!is_cancelled(statuses[0]));
  CHECK(is_cancelled(statuses[1]));
  CHECK(!is_cancelled(statuses[2]));
  CHECK_EQ(values[0], 0);
  CHECK_EQ(values[1], -1);
  CHECK_EQ(values[2], 1);
}

MPI_CASE("a receive that has its message cannot be cancelled", 1, 4) {
  int sent = 9;
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Isend(&sent, 1, MPI_INT, world.rank, 1, world.comm, &send);
  MPI_Probe(world.rank, 1, world.comm, MPI_STATUS_IGNORE);
  MPI_Irecv(&value, 1, MPI_INT, world.rank, 1, world.comm, &request);
  MPI_Cancel(&request);
  MPI_Status status{};
  MPI_Wait(&request, &status);
  CHECK(!is_cancelled(status));
  CHECK(describes(status, world.rank, 1, sizeof(int)));
  CHECK_EQ(value, 9);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

MPI_CASE("a cancelled receive may be freed at once", 1, 4) {
  int value = 3;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, world.rank, 1, world.comm, &request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  int sent = 8;
  int got = 0;
  MPI_Sendrecv(&sent, 1, MPI_INT, world.rank, 1, &got, 1, MPI_INT, world.rank, 1, world.comm, MPI_STATUS_IGNORE);
  CHECK_EQ(got, 8);
  CHECK_EQ(value, 3);
}

MPI_CASE("a persistent receive can be cancelled and started again", 1, 4) {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv_init(&value, 1, MPI_INT, world.rank, 1, world.comm, &request);
  for (int round = 1; round <= 3; ++round) {
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Status status{};
    MPI_Wait(&request, &status);
    CHECK(is_cancelled(status));
    MPI_Start(&request);
    MPI_Send(&round, 1, MPI_INT, world.rank, 1, world.comm);
    MPI_Wait(&request, &status);
    CHECK(!is_cancelled(status));
    CHECK_EQ(value, round);
  }
  MPI_Request_free(&request);
}

MPI_CASE("a send is cancelled or delivered, never half", 2, 2) {
  for (const int bytes : {8, 5000}) {
    const auto size = static_cast<std::size_t>(bytes);
    if (world.rank == 0) {
      const auto data = pattern(size, 4);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(data.data(), bytes, MPI_BYTE, 1, 1, world.comm, &request);
      MPI_Cancel(&request);
      MPI_Status status{};
      MPI_Wait(&request, &status);
      int cancelled = is_cancelled(status) ? 1 : 0;
      MPI_Send(&cancelled, 1, MPI_INT, 1, 2, world.comm);
    } else {
      int cancelled = -1;
      MPI_Recv(&cancelled, 1, MPI_INT, 0, 2, world.comm, MPI_STATUS_IGNORE);
      int there = -1;
      MPI_Iprobe(0, 1, world.comm, &there, MPI_STATUS_IGNORE);
      CHECK_EQ(there, 1 - cancelled);
      if (!there) continue;
      GuardedBuffer buffer(size);
      MPI_Recv(buffer.data(), bytes, MPI_BYTE, 0, 1, world.comm, MPI_STATUS_IGNORE);
      CHECK(buffer.holds(4));
    }
  }
}

// Nobody else has to do anything for it: a program may ask once and free its buffer.
MPI_CASE("a cancelled send to oneself is complete at once", 1, 4) {
  for (const int bytes : {0, 8, 5000, 300000}) {
    const auto data = pattern(static_cast<std::size_t>(bytes), 4);
    MPI_Request requests[2];
    MPI_Issend(data.data(), bytes, MPI_BYTE, world.rank, 1, world.comm, &requests[0]);
    MPI_Ssend_init(data.data(), bytes, MPI_BYTE, world.rank, 1, world.comm, &requests[1]);
    MPI_Start(&requests[1]);
    for (MPI_Request& request : requests) {
      MPI_Cancel(&request);
      int complete = 0;
      MPI_Status status{};
      MPI_Request_get_status(request, &complete, &status);
      CHECK_EQ(complete, 1);
      CHECK(is_cancelled(status));
      MPI_Wait(&request, &status);
      CHECK(is_cancelled(status));
    }
    MPI_Request_free(&requests[1]);
    int there = -1;
    MPI_Iprobe(world.rank, 1, world.comm, &there, MPI_STATUS_IGNORE);
    CHECK_EQ(there, 0);
  }
}

}  // namespace
}  // namespace starling::tests
