// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: started many times, inactive between, freed once (MPI-5.0, 3.9).
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

using SendInit = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

constexpr int kRounds = 20;

/// Rounds of a persistent receive from the previous rank and a persistent send to the next.
void run_rounds(Context& world, SendInit send_init, int bytes) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  const auto size = static_cast<std::size_t>(bytes);
  std::vector<unsigned char> out(size);
  GuardedBuffer in(size);
  MPI_Request requests[2];
  MPI_Recv_init(in.data(), bytes, MPI_BYTE, previous, 1, world.comm, &requests[0]);
  send_init(out.data(), bytes, MPI_BYTE, next, 1, world.comm, &requests[1]);
  for (int round = 0; round < kRounds; ++round) {
    fill_pattern(out.data(), size, key_of(world.rank, bytes, round));
    in.clear();
    MPI_Start(&requests[0]);
    // The receive of the neighbour is active before the send starts: ready mode asks for it.
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, previous, 2, nullptr, 0, MPI_BYTE, next, 2, world.comm, MPI_STATUS_IGNORE);
    MPI_Start(&requests[1]);
    MPI_Status statuses[2] = {unset_status(), unset_status()};
    MPI_Waitall(2, requests, statuses);
    CHECK(describes(statuses[0], previous, 1, bytes));
    CHECK(in.holds(key_of(previous, bytes, round)));
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
  }
  for (MPI_Request& request : requests) {
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
  }
}

void run_sizes(Context& world, SendInit send_init) {
  for (const int bytes : {0, 8, 3000, 100000}) run_rounds(world, send_init, bytes);
}

MPI_CASE("MPI_Send_init serves many rounds", 1, 8) { run_sizes(world, MPI_Send_init); }
MPI_CASE("MPI_Ssend_init serves many rounds", 1, 8) { run_sizes(world, MPI_Ssend_init); }
MPI_CASE("MPI_Rsend_init serves many rounds", 1, 8) { run_sizes(world, MPI_Rsend_init); }

MPI_CASE("MPI_Bsend_init serves many rounds", 1, 8) {
  std::vector<char> storage(kRounds * 2 * (100000 + MPI_BSEND_OVERHEAD + 64));
  MPI_Buffer_attach(storage.data(), static_cast<int>(storage.size()));
  run_sizes(world, MPI_Bsend_init);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
}

MPI_CASE("MPI_Startall starts sends and receives in one call", 1, 8) {
  constexpr int kPairs = 10;
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  int out[kPairs];
  int in[kPairs];
  MPI_Request requests[2 * kPairs];
  for (int i = 0; i < kPairs; ++i) {
    MPI_Send_init(&out[i], 1, MPI_INT, next, i, world.comm, &requests[i]);
    MPI_Recv_init(&in[i], 1, MPI_INT, previous, i, world.comm, &requests[2 * kPairs - 1 - i]);
  }
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kPairs; ++i) out[i] = key_of(world.rank, i, round) & 0xffff;
    MPI_Startall(2 * kPairs, requests);
    MPI_Waitall(2 * kPairs, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kPairs; ++i) CHECK_EQ(in[i], static_cast<int>(key_of(previous, i, round) & 0xffff));
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

MPI_CASE("an inactive persistent request counts as complete and empty", 1, 2) {
  int value = 0;
  MPI_Request requests[2];
  MPI_Recv_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Send_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
  MPI_Status status = unset_status();
  MPI_Wait(&requests[0], &status);
  CHECK(is_empty(status));
  int flag = 0;
  status = unset_status();
  MPI_Test(&requests[1], &flag, &status);
  CHECK_EQ(flag, 1);
  CHECK(is_empty(status));
  flag = 0;
  MPI_Request_get_status(requests[1], &flag, &status);
  CHECK_EQ(flag, 1);
  int index = 0;
  MPI_Waitany(2, requests, &index, &status);
  CHECK_EQ(index, MPI_UNDEFINED);
  CHECK(is_empty(status));
  flag = 0;
  MPI_Testany(2, requests, &index, &flag, &status);
  CHECK_EQ(flag, 1);
  CHECK_EQ(index, MPI_UNDEFINED);
  int count = 0;
  int indices[2];
  MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  CHECK_EQ(count, MPI_UNDEFINED);
  count = 0;
  MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  CHECK_EQ(count, MPI_UNDEFINED);
  flag = 0;
  MPI_Status statuses[2] = {unset_status(), unset_status()};
  MPI_Testall(2, requests, &flag, statuses);
  CHECK_EQ(flag, 1);
  CHECK(is_empty(statuses[0]) && is_empty(statuses[1]));
  CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

MPI_CASE("active and inactive requests mix in MPI_Waitany and MPI_Waitsome", 1, 2) {
  int in[2] = {0, 0};
  int out = 5;
  MPI_Request requests[3];
  MPI_Recv_init(&in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Recv_init(&in[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[1]);
  requests[2] = MPI_REQUEST_NULL;
  MPI_Start(&requests[1]);
  MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  int index = -1;
  MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
  CHECK_EQ(index, 1);
  MPI_Start(&requests[1]);
  MPI_Send(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
  int count = -1;
  int indices[3] = {-1, -1, -1};
  MPI_Waitsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
  CHECK_EQ(count, 1);
  CHECK_EQ(indices[0], 1);
  CHECK_EQ(in[1], 5);
  CHECK_EQ(in[0], 0);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

MPI_CASE("a persistent request to nobody completes at every start", 1, 2) {
  int value = 3;
  MPI_Request requests[2];
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm, &requests[0]);
  MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    MPI_Status statuses[2] = {unset_status(), unset_status()};
    MPI_Waitall(2, requests, statuses);
    CHECK(describes(statuses[1], MPI_PROC_NULL, MPI_ANY_TAG, 0));
    CHECK_EQ(value, 3);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

MPI_CASE("a persistent receive with wildcards matches a new sender in each round", 2, 8) {
  int value = -1;
  if (world.rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &request);
    for (int i = 1; i < world.size; ++i) {
      MPI_Start(&request);
      MPI_Status status = unset_status();
      MPI_Wait(&request, &status);
      CHECK_EQ(value, 10 * status.MPI_SOURCE);
      CHECK_EQ(status.MPI_TAG, status.MPI_SOURCE);
    }
    MPI_Request_free(&request);
  } else {
    value = 10 * world.rank;
    MPI_Send(&value, 1, MPI_INT, 0, world.rank, world.comm);
  }
}

}  // namespace
}  // namespace starling::tests
