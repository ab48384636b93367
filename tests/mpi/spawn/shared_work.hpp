// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What parents and children do together with windows and files over both of them: the same text in the cases and in
// tests/mpi/spawn_child. Each function is collective over `all` and gives back how many values were wrong, on all
// ranks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace starling::tests {

inline int wrong_everywhere(MPI_Comm all, int wrong) {
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, all);
  return wrong;
}

/// Everybody puts its rank into everybody's part and counts at rank 0; `part` holds an int for each rank and one more.
inline int access_everybody(MPI_Comm all, MPI_Win win, int* part) {
  int rank = 0, size = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Win_fence(0, win);
  for (int to = 0; to < size; ++to) MPI_Put(&rank, 1, MPI_INT, to, rank, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  int wrong = 0;
  for (int from = 0; from < size; ++from) wrong += part[from] != from ? 1 : 0;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

  const int one = 1;
  int before = -1, count = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Fetch_and_op(&one, &before, MPI_INT, 0, size, MPI_SUM, win);
  MPI_Win_unlock(0, win);
  wrong += before < 0 || before >= size ? 1 : 0;
  MPI_Barrier(all);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get(&count, 1, MPI_INT, 0, size, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
  return wrong + (count != size ? 1 : 0);
}

/// Long accesses under locks: everybody fills its place in the next one's part, adds to the place of the one after, and
/// reads both back. `part` holds 2 * kLong ints for each rank.
constexpr int kLong = 20'000;
inline int access_at_length(MPI_Comm all, MPI_Win win) {
  int rank = 0, size = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  const int next = (rank + 1) % size;
  const MPI_Aint mine = static_cast<MPI_Aint>(2) * kLong * rank;
  std::vector<int> out(kLong), in(kLong, -1), sum(kLong, -1);
  std::iota(out.begin(), out.end(), rank);
  MPI_Win_lock_all(0, win);
  MPI_Put(out.data(), kLong, MPI_INT, next, mine, kLong, MPI_INT, win);
  for (int time = 0; time < 2; ++time) {
    MPI_Accumulate(out.data(), kLong, MPI_INT, next, mine + kLong, kLong, MPI_INT, MPI_SUM, win);
  }
  MPI_Win_flush(next, win);
  MPI_Get(in.data(), kLong, MPI_INT, next, mine, kLong, MPI_INT, win);
  MPI_Get(sum.data(), kLong, MPI_INT, next, mine + kLong, kLong, MPI_INT, win);
  MPI_Win_unlock_all(win);
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) wrong += (in[i] != out[i] || sum[i] != 2 * out[i]) ? 1 : 0;
  return wrong;
}

/// Each rank in turn makes no call until all others have counted in its part, which its own loads see.
inline int wait_without_calls(MPI_Comm all, MPI_Win win, int* part) {
  int rank = 0, size = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  const int one = 1;
  int wrong = 0;
  for (int target = 0; target < size; ++target) {
    MPI_Barrier(all);
    if (rank != target) {
      int before = -1;
      MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
      MPI_Fetch_and_op(&one, &before, MPI_INT, target, 0, MPI_SUM, win);
      MPI_Win_unlock(target, win);
      wrong += before < 0 || before >= size - 1 ? 1 : 0;
      continue;
    }
    const std::atomic_ref<int> count(*part);
    while (count.load() < size - 1) std::this_thread::yield();
  }
  MPI_Barrier(all);
  return wrong;
}

/// The accesses again, in a window to which memory is attached.
inline int use_dynamic_window(MPI_Comm all) {
  int rank = 0, size = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  int value = rank;
  std::vector<MPI_Aint> at(static_cast<std::size_t>(size));
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, all, &win);
  MPI_Win_attach(win, &value, sizeof value);
  MPI_Aint own = 0;
  MPI_Get_address(&value, &own);
  MPI_Allgather(&own, 1, MPI_AINT, at.data(), 1, MPI_AINT, all);
  const int next = (rank + 1) % size;
  int got = -1;
  MPI_Win_fence(0, win);
  MPI_Get(&got, 1, MPI_INT, next, at[static_cast<std::size_t>(next)], 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_detach(win, &value);
  MPI_Win_free(&win);
  return got != next ? 1 : 0;
}

/// A window that is allocated, one over private memory, a long one, and a dynamic one.
inline int use_windows(MPI_Comm all) {
  int size = 0;
  MPI_Comm_size(all, &size);
  const MPI_Aint bytes = static_cast<MPI_Aint>(sizeof(int)) * (size + 1);
  MPI_Win win = MPI_WIN_NULL;
  int* part = nullptr;
  MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, all, static_cast<void*>(&part), &win);
  std::fill_n(part, size + 1, 0);
  int wrong = access_everybody(all, win, part);
  MPI_Win_free(&win);

  std::vector<int> own(static_cast<std::size_t>(size) + 1);
  MPI_Win_create(own.data(), bytes, sizeof(int), MPI_INFO_NULL, all, &win);
  wrong += access_everybody(all, win, own.data());
  MPI_Win_free(&win);

  const MPI_Aint long_bytes = static_cast<MPI_Aint>(2 * sizeof(int)) * kLong * size;
  MPI_Win_allocate(long_bytes, sizeof(int), MPI_INFO_NULL, all, static_cast<void*>(&part), &win);
  std::fill_n(part, static_cast<std::size_t>(2) * kLong * static_cast<std::size_t>(size), 0);
  MPI_Barrier(all);
  wrong += access_at_length(all, win);
  MPI_Barrier(all);
  *part = 0;
  wrong += wait_without_calls(all, win, part);
  MPI_Win_free(&win);
  return wrong_everywhere(all, wrong + use_dynamic_window(all));
}

/// Everybody writes a block of one file, together, and reads its neighbour's; then all take turns at the shared
/// pointer.
inline int use_file(MPI_Comm all, const std::string& path) {
  constexpr int kInts = 1000;
  int rank = 0, size = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(all, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  std::vector<int> block(kInts);
  std::iota(block.begin(), block.end(), rank * kInts);
  MPI_File_write_at_all(file, static_cast<MPI_Offset>(rank) * kInts, block.data(), kInts, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(all);
  MPI_File_sync(file);
  const int next = (rank + 1) % size;
  MPI_File_read_at_all(file, static_cast<MPI_Offset>(next) * kInts, block.data(), kInts, MPI_INT, MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < kInts; ++i) wrong += block[static_cast<std::size_t>(i)] != next * kInts + i ? 1 : 0;

  int first = -1, sum = 0;
  MPI_File_read_ordered(file, &first, 1, MPI_INT, MPI_STATUS_IGNORE);
  wrong += first != rank ? 1 : 0;
  MPI_File_read_shared(file, &first, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Allreduce(&first, &sum, 1, MPI_INT, MPI_SUM, all);
  wrong += sum != size * size + size * (size - 1) / 2 ? 1 : 0;  // the ranks got size, size + 1, ..., 2 * size - 1
  MPI_File_close(&file);
  return wrong_everywhere(all, wrong);
}

}  // namespace starling::tests
