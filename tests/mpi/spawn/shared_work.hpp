// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What parents and children do together with windows and files over both of them: the same text in the cases and in
// tests/mpi/spawn_child. Each function is collective over `all` and gives back how many values were wrong, on all
// ranks.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <string>
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

/// A window that is allocated, and one over private memory.
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
  return wrong_everywhere(all, wrong);
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
