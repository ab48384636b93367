// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Messages to nobody and to oneself (MPI-5.0, 3.10).
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

bool is_from_nobody(const MPI_Status& status) { return describes(status, MPI_PROC_NULL, MPI_ANY_TAG, 0); }

MPI_CASE("sends to nobody complete at once in every mode", 1, 2) {
  int value = 4;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm);
  MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm);
  MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm);
  MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm);
  MPI_Request requests[4];
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm, &requests[0]);
  MPI_Issend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm, &requests[1]);
  MPI_Irsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm, &requests[2]);
  MPI_Ibsend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world.comm, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (const MPI_Request request : requests) CHECK(request == MPI_REQUEST_NULL);
}

MPI_CASE("receives from nobody complete at once and leave the buffer alone", 1, 2) {
  int value = 4;
  MPI_Status status = unset_status();
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 3, world.comm, &status);
  CHECK(is_from_nobody(status));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, world.comm, &request);
  status = unset_status();
  MPI_Wait(&request, &status);
  CHECK(is_from_nobody(status));
  CHECK_EQ(value, 4);
}

MPI_CASE("probes of nobody find a message from nobody", 1, 2) {
  MPI_Status status = unset_status();
  MPI_Probe(MPI_PROC_NULL, 3, world.comm, &status);
  CHECK(is_from_nobody(status));
  int flag = 0;
  status = unset_status();
  MPI_Iprobe(MPI_PROC_NULL, 3, world.comm, &flag, &status);
  CHECK_EQ(flag, 1);
  CHECK(is_from_nobody(status));
  MPI_Message message = MPI_MESSAGE_NULL;
  status = unset_status();
  MPI_Mprobe(MPI_PROC_NULL, 3, world.comm, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  CHECK(is_from_nobody(status));
  status = unset_status();
  MPI_Mrecv(nullptr, 0, MPI_INT, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL);
  CHECK(is_from_nobody(status));
  flag = 0;
  MPI_Improbe(MPI_PROC_NULL, 3, world.comm, &flag, &message, &status);
  CHECK_EQ(flag, 1);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Imrecv(nullptr, 0, MPI_INT, &message, &request);
  status = unset_status();
  MPI_Wait(&request, &status);
  CHECK(is_from_nobody(status));
}

MPI_CASE("a rank sends to itself in every mode and size", 1, 4) {
  for (const int bytes : {0, 1, 100, 4096, 70000, 2 << 20}) {
    const auto size = static_cast<std::size_t>(bytes);
    const auto data = pattern(size, key_of(bytes));
    const auto receive = [&](MPI_Request& send) {
      GuardedBuffer buffer(size);
      MPI_Status status = unset_status();
      MPI_Recv(buffer.data(), bytes, MPI_BYTE, world.rank, 1, world.comm, &status);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
      CHECK(describes(status, world.rank, 1, bytes));
      CHECK(buffer.holds(key_of(bytes)));
    };
    MPI_Request send = MPI_REQUEST_NULL;
    MPI_Isend(data.data(), bytes, MPI_BYTE, world.rank, 1, world.comm, &send);
    receive(send);
    MPI_Issend(data.data(), bytes, MPI_BYTE, world.rank, 1, world.comm, &send);
    receive(send);
    GuardedBuffer buffer(size);
    MPI_Request posted = MPI_REQUEST_NULL;
    MPI_Irecv(buffer.data(), bytes, MPI_BYTE, world.rank, 1, world.comm, &posted);
    MPI_Rsend(data.data(), bytes, MPI_BYTE, world.rank, 1, world.comm);
    MPI_Wait(&posted, MPI_STATUS_IGNORE);
    CHECK(buffer.holds(key_of(bytes)));
    buffer.clear();
    MPI_Irecv(buffer.data(), bytes, MPI_BYTE, world.rank, 1, world.comm, &posted);
    MPI_Ssend(data.data(), bytes, MPI_BYTE, world.rank, 1, world.comm);
    MPI_Wait(&posted, MPI_STATUS_IGNORE);
    CHECK(buffer.holds(key_of(bytes)));
  }
}

MPI_CASE("a synchronous send to oneself waits for the receive", 1, 2) {
  int value = 6;
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Issend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &send);
  int complete = -1;
  for (int i = 0; i < 100; ++i) MPI_Test(&send, &complete, MPI_STATUS_IGNORE);
  CHECK_EQ(complete, 0);
  int got = 0;
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK_EQ(got, 6);
}

MPI_CASE("a probed message to oneself", 1, 4) {
  const auto data = pattern(5000, 3);
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Isend(data.data(), 5000, MPI_BYTE, world.rank, 9, world.comm, &send);
  MPI_Status status = unset_status();
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Probe(MPI_ANY_SOURCE, 9, world.comm, &status);
  CHECK(describes(status, world.rank, 9, 5000));
  MPI_Mprobe(world.rank, MPI_ANY_TAG, world.comm, &message, &status);
  CHECK(describes(status, world.rank, 9, 5000));
  GuardedBuffer buffer(5000);
  MPI_Mrecv(buffer.data(), 5000, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK(buffer.holds(3));
}

}  // namespace
}  // namespace starling::tests
