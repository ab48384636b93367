// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication (MPI-5.0, chapter 4): parts leave as they are ready and may be cut differently on each
// side.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

std::vector<int> numbers(int count, int first) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::vector<int> shuffled(int count, std::uint64_t seed) {
  std::vector<int> order = numbers(count, 0);
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

struct Cut {
  int send_partitions;
  int receive_partitions;
  int elements;  ///< of the whole message
};
const Cut kCuts[] = {{1, 1, 12},  {4, 4, 12},    {12, 3, 12},   {3, 12, 12},        {4, 6, 12}, {1, 12, 12},
                     {12, 1, 12}, {8, 2, 80000}, {5, 7, 70000}, {64, 64, 64 * 512}, {4, 4, 0},  {16, 4, 16384}};

MPI_CASE("every partition arrives, however the two sides cut the message", 2, 8) {
  const int right = (world.rank + 1) % world.size;
  const int left = (world.rank + world.size - 1) % world.size;
  for (const Cut& cut : kCuts) {
    std::vector<int> in(static_cast<std::size_t>(cut.elements), -1);
    std::vector<int> out(in.size());
    MPI_Request requests[2];
    MPI_Psend_init(out.data(), cut.send_partitions, cut.elements / cut.send_partitions, MPI_INT, right, 5, world.comm,
                   MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in.data(), cut.receive_partitions, cut.elements / cut.receive_partitions, MPI_INT, left, 5,
                   world.comm, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; ++round) {
      std::iota(out.begin(), out.end(), 1000 * world.rank + round);  // in place: the request knows the address
      std::fill(in.begin(), in.end(), -1);
      MPI_Startall(2, requests);
      for (const int partition : shuffled(cut.send_partitions, world.seed + static_cast<std::uint64_t>(round))) {
        MPI_Pready(partition, requests[0]);
      }
      MPI_Status statuses[2];
      MPI_Waitall(2, requests, statuses);
      CHECK(in == numbers(cut.elements, 1000 * left + round));
      int count = -1;
      MPI_Get_count(&statuses[1], MPI_INT, &count);
      CHECK_EQ(count, cut.elements);
      CHECK_EQ(statuses[1].MPI_SOURCE, left);
      CHECK_EQ(statuses[1].MPI_TAG, 5);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
}

MPI_CASE("a ready partition arrives before the last one is ready", 2, 2) {
  constexpr int kPartitions = 4, kEach = 5000;
  std::vector<int> buffer(kPartitions * kEach, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) {
    buffer = numbers(kPartitions * kEach, 0);
    MPI_Psend_init(buffer.data(), kPartitions, kEach, MPI_INT, 1, 0, world.comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(2, request);
    // The receiver answers before any other partition is marked.
    int flag = 0;
    MPI_Status status;
    while (flag == 0) MPI_Iprobe(1, 1, world.comm, &flag, &status);
    MPI_Recv(nullptr, 0, MPI_INT, 1, 1, world.comm, MPI_STATUS_IGNORE);
    MPI_Pready_range(0, 1, request);
    MPI_Pready(3, request);
  } else {
    MPI_Precv_init(buffer.data(), kPartitions, kEach, MPI_INT, 0, 0, world.comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    int flag = 0;
    while (flag == 0) MPI_Parrived(request, 2, &flag);
    CHECK_EQ(buffer[2 * kEach], 2 * kEach);
    CHECK_EQ(buffer[3 * kEach - 1], 3 * kEach - 1);
    MPI_Parrived(request, 0, &flag);
    CHECK_EQ(flag, 0);
    MPI_Send(nullptr, 0, MPI_INT, 0, 1, world.comm);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(buffer == numbers(kPartitions * kEach, 0));
  int flag = -1;
  if (world.rank == 1) {
    MPI_Parrived(request, 0, &flag);  // inactive: nothing is missing
    CHECK_EQ(flag, 1);
  }
  MPI_Request_free(&request);
}

MPI_CASE("partitions of one tag pair up in the order of their inits", 2, 2) {
  constexpr int kRequests = 5;
  std::vector<std::vector<int>> data(kRequests);
  std::vector<MPI_Request> requests(kRequests);
  for (int i = 0; i < kRequests; ++i) {
    std::vector<int>& mine = data[static_cast<std::size_t>(i)];
    mine = world.rank == 0 ? numbers(i + 1, 100 * i) : std::vector<int>(static_cast<std::size_t>(i + 1), -1);
    MPI_Request* request = &requests[static_cast<std::size_t>(i)];
    if (world.rank == 0) {
      MPI_Psend_init(mine.data(), i + 1, 1, MPI_INT, 1, 7, world.comm, MPI_INFO_NULL, request);
    } else {
      MPI_Precv_init(mine.data(), 1, i + 1, MPI_INT, 0, 7, world.comm, MPI_INFO_NULL, request);
    }
  }
  // Started in another order than made, on both sides.
  for (int i = kRequests; i-- > 0;) {
    MPI_Request& request = requests[static_cast<std::size_t>(world.rank == 0 ? i : kRequests - 1 - i)];
    MPI_Start(&request);
    if (world.rank == 0) MPI_Pready_range(0, i, request);
  }
  MPI_Waitall(kRequests, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < kRequests; ++i) {
    CHECK(data[static_cast<std::size_t>(i)] == numbers(i + 1, 100 * i));
    MPI_Request_free(&requests[static_cast<std::size_t>(i)]);
  }
}

MPI_CASE("partitions do not meet messages or wildcards of the same tag", 2, 2) {
  int value = world.rank == 0 ? 17 : -1, plain = world.rank == 0 ? 23 : -1;
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) {
    MPI_Psend_init(&value, 1, 1, MPI_INT, 1, 3, world.comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(0, request);
    MPI_Send(&plain, 1, MPI_INT, 1, 3, world.comm);
  } else {
    MPI_Status status;
    MPI_Recv(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &status);
    CHECK_EQ(plain, 23);
    MPI_Precv_init(&value, 1, 1, MPI_INT, 0, 3, world.comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(value, 17);
  MPI_Request_free(&request);
}

MPI_CASE("partitions of strided types land where the type says", 2, 2) {
  MPI_Datatype every_other = MPI_DATATYPE_NULL, spread = MPI_DATATYPE_NULL;
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
  MPI_Type_create_resized(every_other, 0, 6 * sizeof(int), &spread);
  MPI_Type_commit(&spread);
  // 8 elements of 3 integers; the sender's pieces end inside the receiver's elements in the second cut.
  for (const int pieces : {4, 12}) {
    std::vector<int> buffer(48, -1);
    MPI_Request request = MPI_REQUEST_NULL;
    const std::vector<int> values = numbers(24, 0);
    if (world.rank == 0) {
      MPI_Psend_init(values.data(), pieces, 24 / pieces, MPI_INT, 1, 0, world.comm, MPI_INFO_NULL, &request);
      MPI_Start(&request);
      std::vector<int> order = shuffled(pieces, world.seed);  // MPI-4.0 takes no const array
      MPI_Pready_list(pieces, order.data(), request);
    } else {
      MPI_Precv_init(buffer.data(), 2, 4, spread, 0, 0, world.comm, MPI_INFO_NULL, &request);
      MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (world.rank == 1) {
      for (int i = 0; i < 48; ++i) CHECK_EQ(buffer[static_cast<std::size_t>(i)], i % 2 == 0 ? i / 2 : -1);
    }
  }
  MPI_Type_free(&spread);
  MPI_Type_free(&every_other);
}

MPI_CASE("threads mark their partitions at once", 2, 2) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  constexpr int kThreads = 4, kEach = 1000;
  std::vector<int> buffer(kThreads * kEach, -1);
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) {
    MPI_Psend_init(buffer.data(), kThreads, kEach, MPI_INT, 1, 0, world.comm, MPI_INFO_NULL, &request);
  } else {
    MPI_Precv_init(buffer.data(), kThreads, kEach, MPI_INT, 0, 0, world.comm, MPI_INFO_NULL, &request);
  }
  MPI_Start(&request);
  if (world.rank == 0) {
    world.run_threads(kThreads, [&](int thread) {
      for (int i = 0; i < kEach; ++i) buffer[static_cast<std::size_t>(thread * kEach + i)] = thread * kEach + i;
      MPI_Pready(thread, request);
    });
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(buffer == numbers(kThreads * kEach, 0));
  MPI_Request_free(&request);
}

MPI_CASE("partitions to and from nobody are complete at once", 1, 2) {
  int value = 1;
  MPI_Request requests[2];
  MPI_Psend_init(&value, 1, 1, MPI_INT, MPI_PROC_NULL, 0, world.comm, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(&value, 1, 1, MPI_INT, MPI_PROC_NULL, 0, world.comm, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Pready(0, requests[0]);
  MPI_Status statuses[2];
  MPI_Waitall(2, requests, statuses);
  CHECK_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

MPI_CASE("partitioned requests that were never started can be freed", 1, 8) {
  int value = 1, received = 0;
  const int right = (world.rank + 1) % world.size;
  const int left = (world.rank + world.size - 1) % world.size;
  MPI_Request requests[2];
  MPI_Psend_init(&value, 1, 1, MPI_INT, right, 0, world.comm, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(&received, 1, 1, MPI_INT, left, 0, world.comm, MPI_INFO_NULL, &requests[1]);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

MPI_CASE("wrong uses of partitioned requests are refused", 1, 1) {
  const ReturnErrors errors;
  int value = 1, received = 0, flag = 0;
  MPI_Request requests[2];
  MPI_Psend_init(&value, 1, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(&received, 1, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[1]);
  CHECK_EQ(class_of(MPI_Pready(0, requests[0])), MPI_ERR_REQUEST);  // not started
  MPI_Startall(2, requests);
  CHECK_EQ(class_of(MPI_Pready(1, requests[0])), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Pready(0, requests[1])), MPI_ERR_REQUEST);
  CHECK_EQ(class_of(MPI_Parrived(requests[0], 0, &flag)), MPI_ERR_REQUEST);
  CHECK_EQ(class_of(MPI_Parrived(requests[1], -1, &flag)), MPI_ERR_ARG);
  CHECK_EQ(class_of(MPI_Pready_range(1, 0, requests[0])), MPI_ERR_ARG);
  MPI_Pready(0, requests[0]);
  CHECK_EQ(class_of(MPI_Pready(0, requests[0])), MPI_ERR_ARG);  // twice
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_EQ(received, 1);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK_EQ(
      class_of(MPI_Precv_init(&value, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0])),
      MPI_ERR_RANK);
  CHECK_EQ(class_of(MPI_Precv_init(&value, 1, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_INFO_NULL, &requests[0])),
           MPI_ERR_TAG);
}

MPI_CASE("a sender with more data than the receiver has room for is truncated", 2, 2) {
  const ReturnErrors errors;
  std::vector<int> buffer = numbers(8, 0);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) {
    MPI_Psend_init(buffer.data(), 8, 1, MPI_INT, 1, 0, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready_range(0, 7, request);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else {
    MPI_Precv_init(buffer.data(), 1, 6, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    CHECK_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace starling::tests
