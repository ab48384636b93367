// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which message meets which receive: wildcards, order, communicators (MPI-5.0, 3.2.4 and 3.5).
#include <algorithm>
#include <numeric>
#include <vector>

#include "support/mpi_cases.hpp"
#include "support/outbox.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

void send_value(int value, int peer, int tag, MPI_Comm comm) { MPI_Send(&value, 1, MPI_INT, peer, tag, comm); }

int receive_value(int source, int tag, MPI_Comm comm, MPI_Status* status = MPI_STATUS_IGNORE) {
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, source, tag, comm, status);
  return value;
}

MPI_CASE("messages with one tag are not overtaken, whatever their sizes", 2, 2) {
  constexpr int kMessages = 400;
  constexpr int kMostInts = 30000;
  auto random = world.generator();
  std::vector<int> buffer(kMostInts);
  for (int i = 0; i < kMessages; ++i) {
    const int count = 1 + static_cast<int>(random() % (random() % 4 ? 20 : kMostInts));
    if (world.rank == 0) {
      std::fill(buffer.begin(), buffer.end(), i);
      MPI_Send(buffer.data(), count, MPI_INT, 1, 1, world.comm);
    } else {
      MPI_Status status;
      MPI_Recv(buffer.data(), kMostInts, MPI_INT, i % 2 ? 0 : MPI_ANY_SOURCE, i % 3 ? 1 : MPI_ANY_TAG, world.comm,
               &status);
      CHECK_EQ(bytes_of(status), count * static_cast<int>(sizeof(int)));
      CHECK_EQ(std::count(buffer.begin(), buffer.begin() + count, i), count);
    }
  }
}

MPI_CASE("receives posted before are matched in the order of their posting", 2, 2) {
  constexpr int kReceives = 12;
  // Which receives are wildcards, by position: specific and wild ones interleave in every way.
  if (world.rank == 1) {
    std::vector<int> values(kReceives, -1);
    std::vector<MPI_Request> requests(kReceives);
    for (int i = 0; i < kReceives; ++i) {
      const int source = i % 2 ? MPI_ANY_SOURCE : 0;
      const int tag = i % 4 < 2 ? MPI_ANY_TAG : 5;
      MPI_Irecv(&values[static_cast<std::size_t>(i)], 1, MPI_INT, source, tag, world.comm,
                &requests[static_cast<std::size_t>(i)]);
    }
    MPI_Send(nullptr, 0, MPI_INT, 0, 1, world.comm);
    MPI_Waitall(kReceives, requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < kReceives; ++i) CHECK_EQ(values[static_cast<std::size_t>(i)], i);
  } else {
    MPI_Recv(nullptr, 0, MPI_INT, 1, 1, world.comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < kReceives; ++i) send_value(i, 1, 5, world.comm);
  }
}

MPI_CASE("a message passes over posted receives that it does not match", 2, 2) {
  if (world.rank == 1) {
    int values[4] = {-1, -1, -1, -1};
    MPI_Request requests[4];
    MPI_Irecv(&values[0], 1, MPI_INT, 0, 7, world.comm, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 8, world.comm, &requests[1]);
    MPI_Irecv(&values[2], 1, MPI_INT, 0, MPI_ANY_TAG, world.comm, &requests[2]);
    MPI_Irecv(&values[3], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &requests[3]);
    MPI_Send(nullptr, 0, MPI_INT, 0, 1, world.comm);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK_EQ(values[0], 7);
    CHECK_EQ(values[1], 8);
    CHECK_EQ(values[2], 9);
    CHECK_EQ(values[3], 10);
  } else {
    MPI_Recv(nullptr, 0, MPI_INT, 1, 1, world.comm, MPI_STATUS_IGNORE);
    for (const int value : {9, 8, 10, 7}) send_value(value, 1, value, world.comm);
  }
}

MPI_CASE("a wildcard receive takes the oldest of the unexpected messages that match", 2, 2) {
  if (world.rank == 0) {
    Outbox outbox;
    for (const int tag : {3, 1, 2, 1, 3}) outbox.send(tag, 1, tag, world.comm);
    MPI_Send(nullptr, 0, MPI_INT, 1, 99, world.comm);
    return;
  }
  MPI_Recv(nullptr, 0, MPI_INT, 0, 99, world.comm, MPI_STATUS_IGNORE);
  CHECK_EQ(receive_value(MPI_ANY_SOURCE, 1, world.comm), 1);
  CHECK_EQ(receive_value(MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm), 3);
  CHECK_EQ(receive_value(0, MPI_ANY_TAG, world.comm), 2);
  CHECK_EQ(receive_value(0, 3, world.comm), 3);
  CHECK_EQ(receive_value(0, MPI_ANY_TAG, world.comm), 1);
}

MPI_CASE("a receive for one source waits while others send", 3, 8) {
  if (world.rank != 0) {
    for (int i = 0; i < 10; ++i) send_value(100 * world.rank + i, 0, 1, world.comm);
    return;
  }
  for (int source = world.size - 1; source > 0; --source) {
    for (int i = 0; i < 10; ++i) CHECK_EQ(receive_value(source, 1, world.comm), 100 * source + i);
  }
}

MPI_CASE("wildcard receives keep the order of each sender", 2, 8) {
  constexpr int kMessages = 300;
  if (world.rank != 0) {
    for (int i = 0; i < kMessages; ++i) send_value(i, 0, i % 7, world.comm);
    return;
  }
  std::vector<int> next(static_cast<std::size_t>(world.size), 0);
  for (int i = 0; i < kMessages * (world.size - 1); ++i) {
    MPI_Status status;
    const int value = receive_value(MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &status);
    CHECK_EQ(value, next[static_cast<std::size_t>(status.MPI_SOURCE)]++);
    CHECK_EQ(status.MPI_TAG, value % 7);
  }
}

MPI_CASE("receives posted in another order than the sends find their messages", 2, 4) {
  constexpr int kMessages = 200;
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  std::vector<int> order(kMessages);
  std::iota(order.begin(), order.end(), 0);
  auto random = world.generator(static_cast<std::uint64_t>(world.rank));
  std::shuffle(order.begin(), order.end(), random);
  std::vector<int> in(kMessages, -1);
  std::vector<MPI_Request> requests(kMessages);
  for (const int tag : order) {
    const auto i = static_cast<std::size_t>(tag);
    MPI_Irecv(&in[i], 1, MPI_INT, previous, tag, world.comm, &requests[i]);
  }
  for (int tag = 0; tag < kMessages; ++tag) send_value(world.rank * 1000 + tag, next, tag, world.comm);
  MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
  for (int tag = 0; tag < kMessages; ++tag) CHECK_EQ(in[static_cast<std::size_t>(tag)], previous * 1000 + tag);
}

MPI_CASE("communicators keep their messages apart", 2, 4) {
  constexpr int kComms = 5;
  MPI_Comm comms[kComms];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(world.comm, &comm);
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  Outbox outbox;
  for (int i = 0; i < kComms; ++i) outbox.send(i, next, 1, comms[i]);
  for (int i = kComms - 1; i >= 0; --i) {
    CHECK_EQ(receive_value(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i]), i);
  }
  for (int i = 0; i < kComms; ++i) {
    int flag = -1;
    MPI_Iprobe(previous, MPI_ANY_TAG, comms[i], &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(flag, 0);
  }
  outbox.wait();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

MPI_CASE("the largest tag of the communicator works", 2, 2) {
  int* upper_bound = nullptr;
  int found = 0;
  MPI_Comm_get_attr(world.comm, MPI_TAG_UB, &upper_bound, &found);
  if (!CHECK(found && *upper_bound >= 32767)) return;
  if (world.rank == 0) {
    Outbox outbox;
    outbox.send(1, 1, *upper_bound, world.comm);
    outbox.send(2, 1, *upper_bound - 1, world.comm);
  } else {
    CHECK_EQ(receive_value(0, *upper_bound - 1, world.comm), 2);
    CHECK_EQ(receive_value(0, *upper_bound, world.comm), 1);
  }
}

/// Two generators that stay alike decide sends and receives, so both sides know what must match.
MPI_CASE("random wildcards and tags match as a simple model does", 2, 2) {
  constexpr int kRounds = 60;
  constexpr int kMessages = 40;
  constexpr int kTags = 4;
  auto random = world.generator();
  for (int round = 0; round < kRounds; ++round) {
    std::vector<int> tags(kMessages);
    for (int& tag : tags) tag = static_cast<int>(random() % kTags);
    std::vector<int> wanted(tags);
    std::shuffle(wanted.begin(), wanted.end(), random);
    const bool posted_first = random() % 2;
    if (world.rank == 0) {
      if (posted_first) receive_value(1, 50, world.comm);
      Outbox outbox;
      for (int i = 0; i < kMessages; ++i) outbox.send(i, 1, tags[static_cast<std::size_t>(i)], world.comm);
      if (!posted_first) send_value(0, 1, 50, world.comm);
      continue;
    }
    if (!posted_first) receive_value(0, 50, world.comm);
    std::vector<int> values(kMessages, -1);
    std::vector<MPI_Request> requests(kMessages);
    for (std::size_t i = 0; i < kMessages; ++i) {
      MPI_Irecv(&values[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : 0, wanted[i], world.comm, &requests[i]);
    }
    if (posted_first) send_value(0, 0, 50, world.comm);
    MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
    // The model: the k-th receive of a tag gets the k-th message of that tag.
    for (int tag = 0; tag < kTags; ++tag) {
      int message = -1;
      for (std::size_t i = 0; i < kMessages; ++i) {
        if (wanted[i] != tag) continue;
        do ++message;
        while (tags[static_cast<std::size_t>(message)] != tag);
        CHECK_EQ(values[i], message);
      }
    }
  }
}

}  // namespace
}  // namespace starling::tests
