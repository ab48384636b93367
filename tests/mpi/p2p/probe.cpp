// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Probes and matched probes (MPI-5.0, 3.8).
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/outbox.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kProbeSizes[] = {0, 1, 100, 4096, 50000, 1 << 20};

void send_sizes(Context& world, int peer) {
  for (const int bytes : kProbeSizes) {
    MPI_Send(pattern(static_cast<std::size_t>(bytes), key_of(bytes)).data(), bytes, MPI_BYTE, peer, 4, world.comm);
  }
}

MPI_CASE("MPI_Probe tells source, tag and size before the receive", 2, 2) {
  if (world.rank == 0) {
    send_sizes(world, 1);
    return;
  }
  for (const int bytes : kProbeSizes) {
    MPI_Status status = unset_status();
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &status);
    CHECK(describes(status, 0, 4, bytes));
    GuardedBuffer buffer(static_cast<std::size_t>(bytes));
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, world.comm, MPI_STATUS_IGNORE);
    CHECK(buffer.holds(key_of(bytes)));
  }
}

MPI_CASE("MPI_Iprobe sees only what matches", 2, 2) {
  int value = 3;
  if (world.rank == 0) {
    Outbox outbox;
    outbox.send(value, 1, 10, world.comm);
    outbox.send(value, 1, 11, world.comm);
    return;
  }
  MPI_Probe(0, 11, world.comm, MPI_STATUS_IGNORE);
  int flag = -1;
  MPI_Iprobe(0, 12, world.comm, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(flag, 0);
  MPI_Iprobe(1, MPI_ANY_TAG, world.comm, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(flag, 0);
  MPI_Status status = unset_status();
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &flag, &status);
  CHECK_EQ(flag, 1);
  CHECK(describes(status, 0, 10, sizeof(int)));
  MPI_Recv(&value, 1, MPI_INT, 0, 11, world.comm, MPI_STATUS_IGNORE);
  MPI_Recv(&value, 1, MPI_INT, 0, 10, world.comm, MPI_STATUS_IGNORE);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(flag, 0);
}

MPI_CASE("MPI_Iprobe alone makes progress until the message is there", 2, 2) {
  for (const int bytes : kProbeSizes) {
    if (world.rank == 0) {
      const auto data = pattern(static_cast<std::size_t>(bytes), key_of(bytes));
      MPI_Ssend(data.data(), bytes, MPI_BYTE, 1, 1, world.comm);
    } else {
      int flag = 0;
      MPI_Status status = unset_status();
      while (!flag) MPI_Iprobe(0, 1, world.comm, &flag, &status);
      CHECK_EQ(bytes_of(status), bytes);
      GuardedBuffer buffer(static_cast<std::size_t>(bytes));
      MPI_Recv(buffer.data(), bytes, MPI_BYTE, 0, 1, world.comm, MPI_STATUS_IGNORE);
      CHECK(buffer.holds(key_of(bytes)));
    }
  }
}

MPI_CASE("a matched probe takes its message out of every other receive's reach", 2, 2) {
  if (world.rank == 0) {
    Outbox outbox;
    for (int value = 0; value < 3; ++value) outbox.send(value, 1, 1, world.comm);
    return;
  }
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status = unset_status();
  MPI_Mprobe(MPI_ANY_SOURCE, 1, world.comm, &message, &status);
  CHECK(describes(status, 0, 1, sizeof(int)));
  CHECK(message != MPI_MESSAGE_NULL);
  int values[3] = {-1, -1, -1};
  MPI_Recv(&values[1], 1, MPI_INT, 0, 1, world.comm, MPI_STATUS_IGNORE);
  MPI_Recv(&values[2], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, MPI_STATUS_IGNORE);
  status = unset_status();
  MPI_Mrecv(&values[0], 1, MPI_INT, &message, &status);
  CHECK(describes(status, 0, 1, sizeof(int)));
  CHECK(message == MPI_MESSAGE_NULL);
  for (int i = 0; i < 3; ++i) CHECK_EQ(values[i], i);
}

MPI_CASE("matched receives of every size, blocking and not", 2, 2) {
  for (const bool nonblocking : {false, true}) {
    if (world.rank == 0) {
      send_sizes(world, 1);
      continue;
    }
    for (const int bytes : kProbeSizes) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status = unset_status();
      int flag = 0;
      while (!flag) MPI_Improbe(0, MPI_ANY_TAG, world.comm, &flag, &message, &status);
      CHECK(describes(status, 0, 4, bytes));
      GuardedBuffer buffer(static_cast<std::size_t>(bytes));
      status = unset_status();
      if (nonblocking) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Imrecv(buffer.data(), bytes, MPI_BYTE, &message, &request);
        CHECK(message == MPI_MESSAGE_NULL);
        MPI_Wait(&request, &status);
      } else {
        MPI_Mrecv(buffer.data(), bytes, MPI_BYTE, &message, &status);
      }
      CHECK(describes(status, 0, 4, bytes));
      CHECK(buffer.holds(key_of(bytes)));
    }
  }
}

MPI_CASE("several matched messages are received in any order", 2, 4) {
  constexpr int kMessages = 8;
  constexpr int kBytes = 30000;
  if (world.rank != 0) {
    std::vector<std::vector<unsigned char>> data;
    std::vector<MPI_Request> requests(kMessages);
    for (int i = 0; i < kMessages; ++i) {
      data.push_back(pattern(kBytes, key_of(world.rank, i)));
      MPI_Isend(data.back().data(), kBytes, MPI_BYTE, 0, i, world.comm, &requests[static_cast<std::size_t>(i)]);
    }
    MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  const int total = kMessages * (world.size - 1);
  std::vector<MPI_Message> messages(static_cast<std::size_t>(total));
  std::vector<MPI_Status> statuses(static_cast<std::size_t>(total));
  for (int i = 0; i < total; ++i) {
    const int source = 1 + i % (world.size - 1);
    MPI_Mprobe(source, i / (world.size - 1), world.comm, &messages[static_cast<std::size_t>(i)],
               &statuses[static_cast<std::size_t>(i)]);
  }
  for (int i = total - 1; i >= 0; --i) {
    GuardedBuffer buffer(kBytes);
    MPI_Mrecv(buffer.data(), kBytes, MPI_BYTE, &messages[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
    const MPI_Status& status = statuses[static_cast<std::size_t>(i)];
    CHECK(buffer.holds(key_of(status.MPI_SOURCE, status.MPI_TAG)));
  }
}

MPI_CASE("a synchronous send completes with a matched receive", 2, 2) {
  int value = 8;
  if (world.rank == 0) {
    MPI_Ssend(&value, 1, MPI_INT, 1, 1, world.comm);
  } else {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(0, 1, world.comm, &message, MPI_STATUS_IGNORE);
    value = 0;
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 8);
  }
}

MPI_CASE("MPI_Improbe finds nothing where nothing was sent", 1, 2) {
  MPI_Message message = MPI_MESSAGE_NULL;
  int flag = -1;
  MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, &message, MPI_STATUS_IGNORE);
  CHECK_EQ(flag, 0);
}

}  // namespace
}  // namespace starling::tests
