// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The send modes: what each delivers and when each may complete (MPI-5.0, 3.4).
#include <chrono>
#include <thread>
#include <vector>

#include "support/clocks.hpp"
#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/outbox.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kModeSizes[] = {0, 1, 8, 1000, 4096, 20000, 65536, 300000, 2 << 20};

using Send = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using Isend = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

/// Every pair (0,1), (2,3), ... sends all sizes; the receive is posted first, so that ready mode is legal too.
void send_posted(Context& world, Send send) {
  const int peer = world.rank ^ 1;
  if (peer >= world.size) return;
  for (const int bytes : kModeSizes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (world.rank % 2 == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, peer, 1, world.comm, MPI_STATUS_IGNORE);
      send(pattern(size, key_of(world.rank, bytes)).data(), bytes, MPI_BYTE, peer, 2, world.comm);
    } else {
      GuardedBuffer buffer(size);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(buffer.data(), bytes, MPI_BYTE, peer, 2, world.comm, &request);
      MPI_Send(nullptr, 0, MPI_BYTE, peer, 1, world.comm);
      MPI_Status status = unset_status();
      MPI_Wait(&request, &status);
      CHECK(describes(status, peer, 2, bytes));
      CHECK(buffer.holds(key_of(peer, bytes)));
    }
  }
}

/// Every rank starts all its sends to the next rank before anyone receives.
void isend_unexpected(Context& world, Isend isend) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  std::vector<std::vector<unsigned char>> data;
  std::vector<MPI_Request> requests;
  for (const int bytes : kModeSizes) {
    data.push_back(pattern(static_cast<std::size_t>(bytes), key_of(world.rank, bytes)));
    isend(data.back().data(), bytes, MPI_BYTE, next, bytes % 1000, world.comm, &requests.emplace_back());
  }
  for (const int bytes : kModeSizes) {
    GuardedBuffer buffer(static_cast<std::size_t>(bytes));
    MPI_Status status = unset_status();
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, previous, bytes % 1000, world.comm, &status);
    CHECK(describes(status, previous, bytes % 1000, bytes));
    CHECK(buffer.holds(key_of(previous, bytes)));
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (const MPI_Request request : requests) CHECK(request == MPI_REQUEST_NULL);
}

MPI_CASE("MPI_Send delivers to a posted receive", 2, 4) { send_posted(world, MPI_Send); }
MPI_CASE("MPI_Ssend delivers to a posted receive", 2, 4) { send_posted(world, MPI_Ssend); }
MPI_CASE("MPI_Rsend delivers to a posted receive", 2, 4) { send_posted(world, MPI_Rsend); }
MPI_CASE("MPI_Isend delivers what nobody expected", 1, 8) { isend_unexpected(world, MPI_Isend); }
MPI_CASE("MPI_Issend delivers what nobody expected", 1, 8) { isend_unexpected(world, MPI_Issend); }

MPI_CASE("MPI_Irsend delivers to a posted receive", 2, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (const int bytes : kModeSizes) {
    const auto size = static_cast<std::size_t>(bytes);
    GuardedBuffer buffer(size);
    MPI_Request requests[2];
    MPI_Irecv(buffer.data(), bytes, MPI_BYTE, previous, 3, world.comm, &requests[0]);
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, previous, 4, nullptr, 0, MPI_BYTE, next, 4, world.comm, MPI_STATUS_IGNORE);
    const auto data = pattern(size, key_of(world.rank, bytes));
    MPI_Irsend(data.data(), bytes, MPI_BYTE, next, 3, world.comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(buffer.holds(key_of(previous, bytes)));
  }
}

MPI_CASE("a synchronous send does not complete before its receive is posted", 2, 2) {
  for (const int bytes : kModeSizes) {
    std::vector<unsigned char> data(static_cast<std::size_t>(bytes));
    if (world.rank == 0) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Issend(data.data(), bytes, MPI_BYTE, 1, 5, world.comm, &request);
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
      int complete = 0;
      while (!complete && std::chrono::steady_clock::now() < end) MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
      CHECK(!complete);
      MPI_Send(nullptr, 0, MPI_BYTE, 1, 6, world.comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 6, world.comm, MPI_STATUS_IGNORE);
      MPI_Recv(data.data(), bytes, MPI_BYTE, 0, 5, world.comm, MPI_STATUS_IGNORE);
    }
  }
}

MPI_CASE("a blocking synchronous send waits for a late receiver", 2, 2) {
  int value = 17;
  long long posted = 0;
  if (world.rank == 0) {
    MPI_Ssend(&value, 1, MPI_INT, 1, 2, world.comm);
    const long long done = shared_clock_ns();
    MPI_Recv(&posted, 1, MPI_LONG_LONG, 1, 1, world.comm, MPI_STATUS_IGNORE);
    CHECK(done >= posted);
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    posted = shared_clock_ns();
    MPI_Recv(&value, 1, MPI_INT, 0, 2, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(value, 17);
    MPI_Send(&posted, 1, MPI_LONG_LONG, 0, 1, world.comm);
  }
}

MPI_CASE("messages arrive at a receiver that computes without calling MPI", 2, 2) {
  constexpr int kMessages = 50;
  std::vector<int> values(kMessages);
  if (world.rank == 0) {
    Outbox outbox;
    for (int i = 0; i < kMessages; ++i) outbox.send(i, 1, i % 3, world.comm);
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (int tag = 0; tag < 3; ++tag) {
      for (int i = tag; i < kMessages; i += 3) {
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, 0, tag, world.comm, MPI_STATUS_IGNORE);
        CHECK_EQ(value, i);
      }
    }
  }
}

MPI_CASE("many large sends in both directions do not block each other", 2, 8) {
  constexpr int kMessages = 6;
  constexpr int kBytes = 600000;
  std::vector<MPI_Request> requests;
  std::vector<GuardedBuffer> in;
  std::vector<std::vector<unsigned char>> out;
  for (int peer = 0; peer < world.size; ++peer) {
    for (int i = 0; i < kMessages; ++i) {
      out.push_back(pattern(kBytes, key_of(world.rank, peer, i)));
      in.emplace_back(kBytes);
      MPI_Isend(out.back().data(), kBytes, MPI_BYTE, peer, i, world.comm, &requests.emplace_back());
      MPI_Irecv(in.back().data(), kBytes, MPI_BYTE, peer, i, world.comm, &requests.emplace_back());
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (int peer = 0; peer < world.size; ++peer) {
    for (int i = 0; i < kMessages; ++i) {
      CHECK(in[static_cast<std::size_t>(peer * kMessages + i)].holds(key_of(peer, world.rank, i)));
    }
  }
}

}  // namespace
}  // namespace starling::tests
