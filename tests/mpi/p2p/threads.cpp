// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Several threads of a rank inside MPI at once (MPI-5.0, 11.6). Left out where MPI_THREAD_MULTIPLE is not provided.
#include <atomic>
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kThreads = 4;

MPI_CASE("threads of two ranks exchange at the same time, each with its tag", 2, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  const int peer = world.rank ^ 1;
  if (peer >= world.size) return;
  world.run_threads(kThreads, [&](int thread) {
    for (int round = 0; round < 100; ++round) {
      const int bytes = round % 10 == 9 ? 100000 : round * 7;
      const auto size = static_cast<std::size_t>(bytes);
      GuardedBuffer in(size);
      MPI_Sendrecv(pattern(size, key_of(world.rank, thread, round)).data(), bytes, MPI_BYTE, peer, thread, in.data(),
                   bytes, MPI_BYTE, peer, thread, world.comm, MPI_STATUS_IGNORE);
      CHECK(in.holds(key_of(peer, thread, round)));
    }
  });
}

MPI_CASE("one thread waits for a message that another thread sends", 1, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  world.run_threads(2, [&](int thread) {
    for (int round = 0; round < 50; ++round) {
      int value = round;
      if (thread == 0) {
        value = -1;
        MPI_Recv(&value, 1, MPI_INT, world.rank, round, world.comm, MPI_STATUS_IGNORE);
        CHECK_EQ(value, round);
      } else {
        MPI_Ssend(&value, 1, MPI_INT, world.rank, round, world.comm);
      }
    }
  });
}

MPI_CASE("every message goes to exactly one of many receiving threads", 2, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  constexpr int kMessages = 400;
  if (world.rank != 0) {
    for (int i = 0; i < kMessages; ++i) {
      const int value = world.rank * kMessages + i;
      MPI_Send(&value, 1, MPI_INT, 0, 1, world.comm);
    }
    return;
  }
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(kMessages * world.size));
  const int each = kMessages * (world.size - 1) / kThreads;
  world.run_threads(kThreads, [&](int) {
    for (int i = 0; i < each; ++i) {
      int value = 0;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &status);
      CHECK_EQ(value / kMessages, status.MPI_SOURCE);
      seen[static_cast<std::size_t>(value)] += 1;
    }
  });
  for (int i = kMessages; i < kMessages * world.size; ++i) CHECK_EQ(seen[static_cast<std::size_t>(i)].load(), 1);
}

MPI_CASE("matched probes let threads share messages of unknown size", 2, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  constexpr int kMessages = 100;
  if (world.rank != 0) {
    for (int i = 0; i < kMessages; ++i) {
      const auto size = static_cast<std::size_t>(i * 150);
      MPI_Send(pattern(size, key_of(world.rank, i)).data(), i * 150, MPI_BYTE, 0, i, world.comm);
    }
    return;
  }
  std::atomic<int> left = kMessages * (world.size - 1);
  world.run_threads(kThreads, [&](int) {
    while (left.fetch_sub(1) > 0) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &message, &status);
      const int bytes = bytes_of(status);
      CHECK_EQ(bytes, status.MPI_TAG * 150);
      GuardedBuffer in(static_cast<std::size_t>(bytes));
      MPI_Mrecv(in.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      CHECK(in.holds(key_of(status.MPI_SOURCE, status.MPI_TAG)));
    }
  });
}

MPI_CASE("threads make progress for each other while all of them wait", 2, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  constexpr int kBytes = 400000;
  world.run_threads(kThreads, [&](int thread) {
    for (int round = 0; round < 5; ++round) {
      GuardedBuffer in(kBytes);
      const auto out = pattern(kBytes, key_of(world.rank, thread, round));
      MPI_Request requests[2];
      MPI_Irecv(in.data(), kBytes, MPI_BYTE, previous, thread, world.comm, &requests[0]);
      MPI_Issend(out.data(), kBytes, MPI_BYTE, next, thread, world.comm, &requests[1]);
      if (thread % 2 == 0) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      } else {
        int complete = 0;
        while (!complete) MPI_Testall(2, requests, &complete, MPI_STATUSES_IGNORE);
      }
      CHECK(in.holds(key_of(previous, thread, round)));
    }
  });
}

MPI_CASE("threads use their own communicators side by side", 2, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  std::vector<MPI_Comm> comms(kThreads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(world.comm, &comm);
  world.run_threads(kThreads, [&](int thread) {
    const MPI_Comm comm = comms[static_cast<std::size_t>(thread)];
    for (int round = 0; round < 50; ++round) {
      int value = world.rank == round % world.size ? thread * 1000 + round : -1;
      MPI_Bcast(&value, 1, MPI_INT, round % world.size, comm);
      CHECK_EQ(value, thread * 1000 + round);
      int sum = 0;
      MPI_Allreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, comm);
      CHECK_EQ(sum, world.size * (world.size - 1) / 2);
    }
  });
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

MPI_CASE("the thread level and the main thread are known", 1, 8) {
  int level = -1;
  MPI_Query_thread(&level);
  CHECK_EQ(level, world.thread_level);
  int is_main = 0;
  MPI_Is_thread_main(&is_main);
  CHECK_EQ(is_main, 1);
}

}  // namespace
}  // namespace starling::tests
