// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Buffered sends: attached and automatic buffers, their limits and their flush (MPI-5.0, 3.4 and 3.6).
#include <vector>

#include "support/errors.hpp"
#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kBufferedSizes[] = {0, 1, 8, 1000, 4096, 20000, 65536, 300000};

int room_for_all_sizes() {
  int room = 0;
  for (const int bytes : kBufferedSizes) {
    int packed = 0;
    MPI_Pack_size(bytes, MPI_BYTE, MPI_COMM_WORLD, &packed);
    room += packed + MPI_BSEND_OVERHEAD;
  }
  return room;
}

/// Sends every size to the next rank with a buffered send, before anyone receives; the source is overwritten at once.
void bsend_all(Context& world, bool nonblocking) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (const int bytes : kBufferedSizes) {
    auto data = pattern(static_cast<std::size_t>(bytes), key_of(world.rank, bytes));
    if (nonblocking) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibsend(data.data(), bytes, MPI_BYTE, next, 1, world.comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Bsend(data.data(), bytes, MPI_BYTE, next, 1, world.comm);
    }
    data.assign(data.size(), 0xee);
  }
  for (const int bytes : kBufferedSizes) {
    GuardedBuffer buffer(static_cast<std::size_t>(bytes));
    MPI_Status status = unset_status();
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, previous, 1, world.comm, &status);
    CHECK(describes(status, previous, 1, bytes));
    CHECK(buffer.holds(key_of(previous, bytes)));
  }
}

MPI_CASE("buffered sends complete without a receiver", 1, 8) {
  for (const bool nonblocking : {false, true}) {
    std::vector<char> storage(static_cast<std::size_t>(room_for_all_sizes()));
    MPI_Buffer_attach(storage.data(), static_cast<int>(storage.size()));
    bsend_all(world, nonblocking);
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
    CHECK(detached == storage.data());
    CHECK_EQ(size, static_cast<int>(storage.size()));
  }
}

MPI_CASE("the attached buffer is used again and again", 2, 2) {
  constexpr int kRounds = 300;
  constexpr int kBytes = 5000;
  std::vector<char> storage(3 * (kBytes + MPI_BSEND_OVERHEAD + 64));
  MPI_Buffer_attach(storage.data(), static_cast<int>(storage.size()));
  for (int i = 0; i < kRounds; ++i) {
    if (world.rank == 0) {
      MPI_Bsend(pattern(kBytes, key_of(i)).data(), kBytes, MPI_BYTE, 1, 1, world.comm);
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, 2, world.comm, MPI_STATUS_IGNORE);
    } else {
      GuardedBuffer buffer(kBytes);
      MPI_Recv(buffer.data(), kBytes, MPI_BYTE, 0, 1, world.comm, MPI_STATUS_IGNORE);
      CHECK(buffer.holds(key_of(i)));
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 2, world.comm);
    }
  }
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
}

MPI_CASE("detaching waits until buffered messages are delivered", 2, 2) {
  constexpr int kBytes = 400000;
  if (world.rank == 0) {
    std::vector<char> storage(kBytes + MPI_BSEND_OVERHEAD + 64);
    MPI_Buffer_attach(storage.data(), static_cast<int>(storage.size()));
    MPI_Bsend(pattern(kBytes, 9).data(), kBytes, MPI_BYTE, 1, 1, world.comm);
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
    storage.assign(storage.size(), 0x11);
    MPI_Send(nullptr, 0, MPI_BYTE, 1, 2, world.comm);
  } else {
    GuardedBuffer buffer(kBytes);
    MPI_Recv(buffer.data(), kBytes, MPI_BYTE, 0, 1, world.comm, MPI_STATUS_IGNORE);
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 2, world.comm, MPI_STATUS_IGNORE);
    CHECK(buffer.holds(9));
  }
}

MPI_CASE("a buffered send without room is MPI_ERR_BUFFER", 1, 2) {
  MPI_Comm comm = MPI_COMM_NULL;
  const ReturnErrors quiet;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  std::vector<char> storage(1000 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(storage.data(), static_cast<int>(storage.size()));
  std::vector<char> data(100000);
  const int code = MPI_Bsend(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, 1, comm);
  CHECK_EQ(class_of(code), MPI_ERR_BUFFER);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
  MPI_Comm_free(&comm);
}

MPI_CASE("the size of one message and its overhead is room enough", 1, 2) {
  for (const int bytes : kBufferedSizes) {
    std::vector<char> storage(static_cast<std::size_t>(bytes + MPI_BSEND_OVERHEAD));
    MPI_Buffer_attach(storage.data(), static_cast<int>(storage.size()));
    MPI_Bsend(pattern(static_cast<std::size_t>(bytes), 5).data(), bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF);
    GuardedBuffer buffer(static_cast<std::size_t>(bytes));
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(buffer.holds(5));
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
  }
}

#if MPI_VERSION >= 5
MPI_CASE("automatic buffers take any message", 1, 8) {
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  bsend_all(world, false);
  bsend_all(world, true);
  MPI_Buffer_flush();
  bsend_all(world, false);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Buffer_iflush(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
  CHECK(detached == MPI_BUFFER_AUTOMATIC);
}

MPI_CASE("a communicator's own buffer serves its sends", 1, 4) {
  std::vector<char> storage(static_cast<std::size_t>(room_for_all_sizes()));
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_attach_buffer(comm, storage.data(), static_cast<int>(storage.size()));
  Context on_comm;
  on_comm.rank = world.rank;
  on_comm.size = world.size;
  on_comm.comm = comm;
  on_comm.case_name = world.case_name;
  bsend_all(on_comm, false);
  CHECK_EQ(on_comm.failures(), 0);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_iflush_buffer(comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  bsend_all(on_comm, true);
  MPI_Comm_flush_buffer(comm);
  void* detached = nullptr;
  int size = 0;
  MPI_Comm_detach_buffer(comm, &detached, &size);
  CHECK(detached == storage.data());
  MPI_Comm_free(&comm);
}
#endif

}  // namespace
}  // namespace starling::tests
