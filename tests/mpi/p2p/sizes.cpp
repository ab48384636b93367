// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Every size across all protocol borders, whether the receive or the message is first.
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

/// 0 to 256 one by one, then the neighbours of each power of two up to 8 MiB.
std::vector<int> border_sizes() {
  std::vector<int> sizes;
  for (int bytes = 0; bytes <= 256; ++bytes) sizes.push_back(bytes);
  for (int power = 512; power <= 8 << 20; power *= 2) {
    for (int bytes : {power - 1, power, power + 1}) sizes.push_back(bytes);
  }
  return sizes;
}

void receive_and_check(Context& world, GuardedBuffer& buffer, MPI_Request& request, int bytes) {
  MPI_Status status = unset_status();
  MPI_Wait(&request, &status);
  CHECK(describes(status, 0, 1, bytes));
  CHECK(buffer.holds(key_of(bytes)));
}

MPI_CASE("every size arrives whole at a receive posted before", 2, 2) {
  for (const int bytes : border_sizes()) {
    const auto size = static_cast<std::size_t>(bytes);
    if (world.rank == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, 2, world.comm, MPI_STATUS_IGNORE);
      MPI_Send(pattern(size, key_of(bytes)).data(), bytes, MPI_BYTE, 1, 1, world.comm);
    } else {
      GuardedBuffer buffer(size);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(buffer.data(), bytes, MPI_BYTE, 0, 1, world.comm, &request);
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 2, world.comm);
      receive_and_check(world, buffer, request, bytes);
    }
  }
}

MPI_CASE("every size arrives whole at a receive posted after", 2, 2) {
  for (const int bytes : border_sizes()) {
    const auto size = static_cast<std::size_t>(bytes);
    if (world.rank == 0) {
      const auto data = pattern(size, key_of(bytes));
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(data.data(), bytes, MPI_BYTE, 1, 1, world.comm, &request);
      MPI_Send(nullptr, 0, MPI_BYTE, 1, 2, world.comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 2, world.comm, MPI_STATUS_IGNORE);
      GuardedBuffer buffer(size);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(buffer.data(), bytes, MPI_BYTE, 0, 1, world.comm, &request);
      receive_and_check(world, buffer, request, bytes);
    }
  }
}

MPI_CASE("a message may be shorter than its receive", 2, 2) {
  for (const int bytes : {0, 1, 63, 64, 500, 5000, 70000, 1 << 20}) {
    const int room = 2 * bytes + 100;
    if (world.rank == 0) {
      MPI_Send(pattern(static_cast<std::size_t>(bytes), key_of(bytes)).data(), bytes, MPI_BYTE, 1, 1, world.comm);
    } else {
      GuardedBuffer buffer(static_cast<std::size_t>(room));
      MPI_Status status = unset_status();
      MPI_Recv(buffer.data(), room, MPI_BYTE, 0, 1, world.comm, &status);
      CHECK(describes(status, 0, 1, bytes));
      CHECK(buffer.holds(key_of(bytes), static_cast<std::size_t>(bytes)));
    }
  }
}

MPI_CASE("every size goes round a ring at once", 1, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  std::vector<MPI_Request> requests;
  std::vector<GuardedBuffer> in;
  std::vector<std::vector<unsigned char>> out;
  std::vector<int> sizes;
  for (const int bytes : border_sizes()) {
    if (bytes <= 300000) sizes.push_back(bytes);
  }
  for (const int bytes : sizes) {
    const auto size = static_cast<std::size_t>(bytes);
    in.emplace_back(size);
    out.push_back(pattern(size, key_of(world.rank, bytes)));
    MPI_Irecv(in.back().data(), bytes, MPI_BYTE, previous, 7, world.comm, &requests.emplace_back());
    MPI_Isend(out.back().data(), bytes, MPI_BYTE, next, 7, world.comm, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(in[i].holds(key_of(previous, sizes[i])));
  }
}

MPI_CASE("a flood of every small size keeps its order", 2, 4) {
  constexpr int kMessages = 20000;
  const int peer = world.rank ^ 1;
  if (peer >= world.size) return;
  for (int i = 0; i < kMessages; ++i) {
    const int bytes = i % 257;
    if (world.rank % 2 == 0) {
      MPI_Send(pattern(static_cast<std::size_t>(bytes), key_of(i)).data(), bytes, MPI_BYTE, peer, 1, world.comm);
    } else {
      unsigned char buffer[256];
      MPI_Status status;
      MPI_Recv(buffer, 256, MPI_BYTE, peer, 1, world.comm, &status);
      if (!CHECK_EQ(bytes_of(status), bytes)) continue;
      CHECK_EQ(first_wrong_byte(buffer, static_cast<std::size_t>(bytes), key_of(i)), -1);
    }
  }
}

}  // namespace
}  // namespace starling::tests
