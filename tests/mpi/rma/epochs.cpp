// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Synchronization: fences, post-start-complete-wait, locks and flushes (MPI-5.0, 12.5).
#include <atomic>

#include "mpi/rma/windows.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

MPI_CASE("a fence completes accesses at origins and targets", 1, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 2 * world.size);
    for (int rank = 0; rank < world.size; ++rank) win[world.size + rank] = 1000 * world.rank + rank;
    MPI_Win_fence(0, win);
    std::vector<int> values(static_cast<std::size_t>(world.size));
    std::vector<int> got(values.size(), -1);
    for (int rank = 0; rank < world.size; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      values[at] = 10 * world.rank + rank;
      MPI_Put(&values[at], 1, MPI_INT, rank, win.at(rank, world.rank), 1, MPI_INT, win);
      MPI_Get(&got[at], 1, MPI_INT, rank, win.at(rank, world.size + world.rank), 1, MPI_INT, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int rank = 0; rank < world.size; ++rank) {
      CHECK_EQ(win[rank], 10 * rank + world.rank);
      CHECK_EQ(got[static_cast<std::size_t>(rank)], 1000 * rank + world.rank);
    }
  }
}

/// The group of one rank of the window.
MPI_Group only(MPI_Win win, int rank) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group one = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&all);
  return one;
}

MPI_CASE("post, start, complete and wait pair neighbours again and again", 1, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 1);
    const int next = (world.rank + 1) % world.size;
    const int previous = (world.rank + world.size - 1) % world.size;
    MPI_Group to = only(win, next);
    MPI_Group from = only(win, previous);
    for (int round = 0; round < 50; ++round) {
      MPI_Win_post(from, 0, win);
      MPI_Win_start(to, 0, win);
      const int value = 100 * round + world.rank;
      MPI_Put(&value, 1, MPI_INT, next, win.at(next, 0), 1, MPI_INT, win);
      MPI_Win_complete(win);
      MPI_Win_wait(win);
      CHECK_EQ(win[0], 100 * round + previous);
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
  }
}

/// How puts are completed.
enum class By { kFlush, kFlushAll, kUnlock, kUnlockAll, kFence, kComplete };
constexpr By kAllCompletions[] = {By::kFlush, By::kFlushAll, By::kUnlock, By::kUnlockAll, By::kFence, By::kComplete};

void open_for_puts(By by, MPI_Win win, int target, int origin) {
  MPI_Group group = MPI_GROUP_NULL;
  switch (by) {
    case By::kUnlock: MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win); break;
    case By::kFence: MPI_Win_fence(0, win); break;
    case By::kComplete:
      group = only(win, origin);
      MPI_Win_post(group, 0, win);
      MPI_Group_free(&group);
      group = only(win, target);
      MPI_Win_start(group, 0, win);
      MPI_Group_free(&group);
      break;
    default: MPI_Win_lock_all(0, win);
  }
}

/// Afterwards the puts are at the target, and one more call may end the epoch.
void complete_puts(By by, MPI_Win win, int target) {
  switch (by) {
    case By::kFlush: MPI_Win_flush(target, win); break;
    case By::kFlushAll: MPI_Win_flush_all(win); break;
    case By::kUnlock: MPI_Win_unlock(target, win); break;
    case By::kUnlockAll: MPI_Win_unlock_all(win); break;
    case By::kFence: MPI_Win_fence(MPI_MODE_NOSUCCEED, win); break;
    case By::kComplete:
      MPI_Win_complete(win);
      MPI_Win_wait(win);
      break;
  }
}

MPI_CASE("many puts of any length are there after each call that completes them", 1, 8) {
  constexpr int kMany = 300;
  constexpr int kLengths[] = {1, 2, 12, 13, 100};
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (const WindowKind kind : kinds_of(world)) {
    for (const By by : kAllCompletions) {
      for (const int length : kLengths) {
        const WindowOver<int> win(world, kind, kMany * length);
        MPI_Barrier(world.comm);
        open_for_puts(by, win, next, previous);
        std::vector<int> values(static_cast<std::size_t>(kMany * length));
        for (int i = 0; i < kMany * length; ++i) values[static_cast<std::size_t>(i)] = 1000 * world.rank + i / length;
        for (int i = 0; i < kMany; ++i) {
          MPI_Put(&values[static_cast<std::size_t>(i * length)], length, MPI_INT, next, win.at(next, i * length),
                  length, MPI_INT, win);
        }
        complete_puts(by, win, next);
        std::fill(values.begin(), values.end(), -1);
        MPI_Barrier(world.comm);
        for (int i = 0; i < kMany * length; ++i) CHECK_EQ(win[i], 1000 * previous + i / length);
        if (by == By::kFlush || by == By::kFlushAll) MPI_Win_unlock_all(win);
      }
    }
  }
}

MPI_CASE("MPI_Win_test ends an exposure epoch once the origins have completed", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, world.size);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &all);
  const int zero = 0;
  MPI_Group target = only(win, 0);
  MPI_Group origins = MPI_GROUP_NULL;
  MPI_Group_excl(all, 1, &zero, &origins);
  if (world.rank == 0) {
    MPI_Win_post(origins, 0, win);
    int done = 0;
    while (done == 0) MPI_Win_test(win, &done);
    for (int rank = 1; rank < world.size; ++rank) CHECK_EQ(win[rank], rank + 7);
  } else {
    MPI_Win_start(target, 0, win);
    const int value = world.rank + 7;
    MPI_Put(&value, 1, MPI_INT, 0, world.rank, 1, MPI_INT, win);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&target);
  MPI_Group_free(&origins);
}

MPI_CASE("empty groups open epochs that nobody joins", 1, 4) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
}

/// Adds one to the first element of rank 0 without an atomic operation.
void count_up(MPI_Win win, MPI_Aint at) {
  int value = 0;
  MPI_Get(&value, 1, MPI_INT, 0, at, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  ++value;
  MPI_Put(&value, 1, MPI_INT, 0, at, 1, MPI_INT, win);
}

MPI_CASE("an exclusive lock lets one rank in at a time", 1, 8) {
  constexpr int kRounds = 200;
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 1);
    for (int round = 0; round < kRounds; ++round) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      count_up(win, win.at(0, 0));
      MPI_Win_unlock(0, win);
    }
    MPI_Barrier(world.comm);
    if (world.rank == 0) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      CHECK_EQ(win[0], kRounds * world.size);
      MPI_Win_unlock(0, win);
    }
  }
}

MPI_CASE("ranks that share a lock do not wait for each other", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Barrier(world.comm);
  MPI_Win_unlock(0, win);
}

MPI_CASE("an exclusive lock waits for those who share it", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 2);
  if (world.rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Barrier(world.comm);
    int seen = -1;
    for (int i = 0; i < 2000; ++i) {
      MPI_Get(&seen, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
      MPI_Win_flush(1, win);
      if (seen != 0) break;
    }
    CHECK_EQ(seen, 0);
    MPI_Win_unlock(1, win);
  } else {
    MPI_Barrier(world.comm);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    const int mark = 1;
    MPI_Put(&mark, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(world.comm);
}

MPI_CASE("locks of several targets are held at once", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, world.size);
  for (int rank = 0; rank < world.size; ++rank) MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  const int value = world.rank + 1;
  for (int rank = 0; rank < world.size; ++rank) MPI_Put(&value, 1, MPI_INT, rank, world.rank, 1, MPI_INT, win);
  for (int rank = 0; rank < world.size; ++rank) MPI_Win_unlock(rank, win);
  MPI_Barrier(world.comm);
  for (int rank = 0; rank < world.size; ++rank) CHECK_EQ(win[rank], rank + 1);
}

MPI_CASE("lock_all and exclusive locks of all targets take turns", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  for (int round = 0; round < 50; ++round) {
    if ((round + world.rank) % 2 == 0) {
      MPI_Win_lock_all(0, win);
      int values[2] = {-1, -2};
      MPI_Get(&values[0], 1, MPI_INT, 0, 0, 1, MPI_INT, win);
      MPI_Get(&values[1], 1, MPI_INT, world.size - 1, 0, 1, MPI_INT, win);
      MPI_Win_flush_all(win);
      CHECK_EQ(values[0], values[1]);
      MPI_Win_unlock_all(win);
    } else {
      for (int rank = 0; rank < world.size; ++rank) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
      const int value = 100 * round + world.rank;
      for (int rank = 0; rank < world.size; ++rank) MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
      for (int rank = world.size - 1; rank >= 0; --rank) MPI_Win_unlock(rank, win);
    }
  }
}

MPI_CASE("a flush completes accesses before the next message", 2, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 1);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    const int next = (world.rank + 1) % world.size;
    const int previous = (world.rank + world.size - 1) % world.size;
    for (int round = 1; round < 30; ++round) {
      const int value = 50 * round + world.rank;
      MPI_Put(&value, 1, MPI_INT, next, win.at(next, 0), 1, MPI_INT, win);
      if (round % 2 == 0) {
        MPI_Win_flush_local(next, win);
        MPI_Win_flush(next, win);
      } else {
        MPI_Win_flush_local_all(win);
        MPI_Win_flush_all(win);
      }
      MPI_Sendrecv(nullptr, 0, MPI_INT, next, 1, nullptr, 0, MPI_INT, previous, 1, world.comm, MPI_STATUS_IGNORE);
      MPI_Win_sync(win);
      CHECK_EQ(win[0], 50 * round + previous);
      MPI_Sendrecv(nullptr, 0, MPI_INT, previous, 2, nullptr, 0, MPI_INT, next, 2, world.comm, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
  }
}

MPI_CASE("request-based accesses complete with their requests", 1, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 4);
    const int next = (world.rank + 1) % world.size;
    MPI_Win_lock_all(0, win);
    MPI_Request requests[4];
    const int three[3] = {world.rank, world.rank + 1, world.rank + 2};
    int back[3] = {-1, -1, -1};
    int old = -1;
    MPI_Rput(three, 3, MPI_INT, next, win.at(next, 0), 3, MPI_INT, win, &requests[0]);
    MPI_Raccumulate(three, 1, MPI_INT, next, win.at(next, 3), 1, MPI_INT, MPI_SUM, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(next, win);
    MPI_Rget(back, 3, MPI_INT, next, win.at(next, 0), 3, MPI_INT, win, &requests[2]);
    MPI_Rget_accumulate(three, 1, MPI_INT, &old, 1, MPI_INT, next, win.at(next, 3), 1, MPI_INT, MPI_REPLACE, win,
                        &requests[3]);
    MPI_Waitall(2, requests + 2, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; ++i) CHECK_EQ(back[i], world.rank + i);
    CHECK_EQ(old, world.rank);
    MPI_Win_unlock_all(win);
  }
}

/// Whether rank 0 sees the mark of rank 1 while it makes no MPI call.
bool sees_without_calls(const volatile int* place) {
  const double give_up = MPI_Wtime() + 20;  // MPI_Wtime makes no progress
  while (*place == 0 && MPI_Wtime() < give_up) {
  }
  return *place != 0;
}

MPI_NODE_CASE("passive accesses progress while the target computes", 2, 8) {
  if (world.ranks_are == RanksAre::kThreads) return;  // the waiting loop is a race by design
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 2);
    MPI_Barrier(world.comm);
    if (world.rank == 0) {
      CHECK(sees_without_calls(win.data()));
    } else if (world.rank == 1) {
      const int one = 1;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Accumulate(&one, 1, MPI_INT, 0, win.at(0, 1), 1, MPI_INT, MPI_SUM, win);
      MPI_Put(&one, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, win);
      MPI_Win_unlock(0, win);
    }
    MPI_Barrier(world.comm);
    if (world.rank == 0) CHECK_EQ(win[1], 1);
  }
}

MPI_CASE("threads of a rank may access a window at once", 1, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  constexpr int kThreads = 3;
  constexpr int kRounds = 200;
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<long> win(world, kind, 1);
    MPI_Win_lock_all(0, win);
    world.run_threads(kThreads, [&](int) {
      const long one = 1;
      long old = 0;
      for (int i = 0; i < kRounds; ++i) {
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, win.at(0, 0), MPI_SUM, win);
        MPI_Win_flush(0, win);  // before `one` and `old` are used again
      }
    });
    MPI_Win_unlock_all(win);
    MPI_Barrier(world.comm);
    if (world.rank == 0) CHECK_EQ(win[0], static_cast<long>(kThreads) * kRounds * world.size);
  }
}

MPI_CASE("the agent is switched off and on while the program runs", 1, 4) {
  const WindowOver<int> win(world, WindowKind::kCreate, 1);
  for (const char* mode : {"off", "on", "auto"}) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "starling_rma_agent", mode);
    MPI_Info_set(info, "starling_rma_agent_core", "-1");
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    MPI_Win_fence(0, win);
    const int next = (world.rank + 1) % world.size;
    MPI_Put(&world.rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(win[0], (world.rank + world.size - 1) % world.size);
  }
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "starling_rma_agent", "maybe");
  const ReturnErrorsOn quiet(win);
  CHECK_EQ(class_of(MPI_Win_set_info(win, info)), MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
}

}  // namespace
}  // namespace starling::tests
