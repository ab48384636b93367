// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Put and get of any layout and size; nobody as a target; memory attached and detached (MPI-5.0, 12.2.4 and 12.3).
#include "mpi/rma/windows.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

MPI_CASE("every size arrives whole and touches nothing beside", 1, 4) {
  for (const WindowKind kind : kinds_of(world)) {
    for (const int bytes : {1, 2, 3, 4, 7, 8, 9, 64, 1000, 65536, 300001}) {
      const WindowOver<unsigned char> win(world, kind, bytes + 2);
      const int next = (world.rank + 1) % world.size;
      std::vector<unsigned char> data(static_cast<std::size_t>(bytes));
      for (int i = 0; i < bytes; ++i) data[static_cast<std::size_t>(i)] = static_cast<unsigned char>(i * 7 + bytes);
      MPI_Win_fence(0, win);
      MPI_Put(data.data(), bytes, MPI_BYTE, next, win.at(next, 1), bytes, MPI_BYTE, win);
      MPI_Win_fence(0, win);
      CHECK(std::equal(data.begin(), data.end(), win.data() + 1));
      CHECK_EQ(win[0], 0);
      CHECK_EQ(win[bytes + 1], 0);
      std::vector<unsigned char> back(data.size(), 0);
      MPI_Get(back.data(), bytes, MPI_BYTE, next, win.at(next, 1), bytes, MPI_BYTE, win);
      MPI_Win_fence(0, win);
      CHECK(back == data);
    }
  }
}

MPI_CASE("columns of one matrix become rows of another", 1, 4) {
  constexpr int kN = 90;
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, kN * kN);
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    MPI_Type_vector(kN, 1, kN, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    MPI_Type_commit(&columns);
    std::vector<int> matrix(kN * kN);
    for (int i = 0; i < kN * kN; ++i) matrix[static_cast<std::size_t>(i)] = i;
    const int next = (world.rank + 1) % world.size;
    MPI_Win_fence(0, win);
    MPI_Put(matrix.data(), kN * kN, MPI_INT, next, win.at(next, 0), kN, columns, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < kN; ++i) {
      for (int j = 0; j < kN; ++j) CHECK_EQ(win[i * kN + j], j * kN + i);
    }
    std::vector<int> back(matrix.size(), -1);
    MPI_Get(back.data(), kN, columns, next, win.at(next, 0), kN, columns, win);
    MPI_Win_fence(0, win);
    bool equal = true;
    for (int i = 0; i < kN * kN; ++i) equal = equal && back[static_cast<std::size_t>(i)] == (i % kN) * kN + i / kN;
    CHECK(equal);
    MPI_Type_free(&columns);
    MPI_Type_free(&column);
  }
}

MPI_CASE("types with negative displacements stay in range", 1, 4) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 10);
    const int lengths[2] = {1, 1};
    const int places[2] = {-2, 1};
    MPI_Datatype around = MPI_DATATYPE_NULL;
    MPI_Type_indexed(2, lengths, places, MPI_INT, &around);
    MPI_Type_commit(&around);
    const int next = (world.rank + 1) % world.size;
    const int values[2] = {5, 6};
    MPI_Win_fence(0, win);
    MPI_Put(values, 2, MPI_INT, next, win.at(next, 2), 1, around, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(win[0], 5);
    CHECK_EQ(win[3], 6);
    const ReturnErrorsOn quiet(win);
    MPI_Win_fence(0, win);
    CHECK_EQ(class_of(MPI_Put(values, 2, MPI_INT, next, win.at(next, 1), 1, around, win)), MPI_ERR_RMA_RANGE);
    MPI_Win_fence(0, win);
    MPI_Type_free(&around);
  }
}

MPI_CASE("accesses to MPI_PROC_NULL do nothing", 1, 4) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  int value = 4;
  int old = 5;
  MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win);
  MPI_Put(nullptr, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Get(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Accumulate(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Fetch_and_op(&value, &old, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win);
  MPI_Compare_and_swap(&value, &value, &old, MPI_INT, MPI_PROC_NULL, 0, win);
  MPI_Win_flush(MPI_PROC_NULL, win);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Rget(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(MPI_PROC_NULL, win);
  CHECK_EQ(value, 4);
  CHECK_EQ(old, 5);
}

MPI_CASE("memory is attached and detached while the window lives", 2, 8) {
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, world.comm, &win);
  constexpr int kPieces = 40;
  std::vector<std::vector<int>> pieces(kPieces, std::vector<int>(10));
  std::vector<MPI_Aint> mine(kPieces);
  for (int i = 0; i < kPieces; ++i) {
    auto& piece = pieces[static_cast<std::size_t>(i)];
    MPI_Win_attach(win, piece.data(), static_cast<MPI_Aint>(piece.size() * sizeof(int)));
    MPI_Get_address(piece.data(), &mine[static_cast<std::size_t>(i)]);
  }
  std::vector<MPI_Aint> theirs(kPieces);
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  MPI_Sendrecv(mine.data(), kPieces, MPI_AINT, previous, 1, theirs.data(), kPieces, MPI_AINT, next, 1, world.comm,
               MPI_STATUS_IGNORE);
  MPI_Win_lock_all(0, win);
  std::vector<int> values(kPieces);
  for (int i = 0; i < kPieces; ++i) {
    const auto at = static_cast<std::size_t>(i);
    values[at] = 100 * i + world.rank;
    MPI_Put(&values[at], 1, MPI_INT, next, MPI_Aint_add(theirs[at], 9 * sizeof(int)), 1, MPI_INT, win);
  }
  MPI_Win_flush_all(win);
  MPI_Barrier(world.comm);
  for (int i = 0; i < kPieces; ++i) CHECK_EQ(pieces[static_cast<std::size_t>(i)][9], 100 * i + previous);
  MPI_Win_detach(win, pieces[0].data());
  MPI_Barrier(world.comm);
  const ReturnErrorsOn quiet(win);
  int value = 1;
  CHECK_EQ(class_of(MPI_Put(&value, 1, MPI_INT, next, theirs[0], 1, MPI_INT, win)), MPI_ERR_RMA_RANGE);
  CHECK_EQ(MPI_Put(&value, 1, MPI_INT, next, theirs[1], 1, MPI_INT, win), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Win_attach(win, &pieces[1][3], sizeof(int))), MPI_ERR_RMA_ATTACH);
  CHECK_EQ(class_of(MPI_Win_detach(win, pieces[0].data())), MPI_ERR_RMA_ATTACH);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

}  // namespace
}  // namespace starling::tests
