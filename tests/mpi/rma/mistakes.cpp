// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a program must not do with a window answers with the standard's class (MPI-5.0, 12.6).
#include "mpi/rma/windows.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

struct Access {
  MPI_Win win;
  int value = 1;
  int put(int rank, MPI_Aint disp = 0, int count = 1) {
    return class_of(MPI_Put(&value, count, MPI_INT, rank, disp, count, MPI_INT, win));
  }
};

MPI_CASE("an access outside of every epoch is MPI_ERR_RMA_SYNC", 1, 4) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, 2);
    const ReturnErrorsOn quiet(win);
    Access access{win};
    int old = 0;
    CHECK_EQ(access.put(0, win.at(0, 0)), MPI_ERR_RMA_SYNC);
    CHECK_EQ(class_of(MPI_Get(&old, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, win)), MPI_ERR_RMA_SYNC);
    CHECK_EQ(class_of(MPI_Accumulate(&old, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, MPI_SUM, win)), MPI_ERR_RMA_SYNC);
    CHECK_EQ(class_of(MPI_Fetch_and_op(&old, &old, MPI_INT, 0, win.at(0, 0), MPI_SUM, win)), MPI_ERR_RMA_SYNC);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK_EQ(access.put(0, win.at(0, 0)), MPI_ERR_RMA_SYNC);
  }
}

MPI_CASE("epochs that do not match are MPI_ERR_RMA_SYNC", 1, 4) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 2);
  const ReturnErrorsOn quiet(win);
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = 0;
  int value = 0;
  CHECK_EQ(class_of(MPI_Win_complete(win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_wait(win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_test(win, &flag)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_unlock(0, win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_unlock_all(win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_flush(0, win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_flush_local_all(win)), MPI_ERR_RMA_SYNC);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  CHECK_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_lock_all(0, win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_start(MPI_GROUP_EMPTY, 0, win)), MPI_ERR_RMA_SYNC);
  CHECK_EQ(class_of(MPI_Win_fence(0, win)), MPI_ERR_RMA_SYNC);
  MPI_Win copy = win;
  CHECK_EQ(class_of(MPI_Win_free(&copy)), MPI_ERR_RMA_SYNC);
  MPI_Win_unlock(0, win);
  MPI_Win_fence(0, win);
  CHECK_EQ(class_of(MPI_Rput(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &request)), MPI_ERR_RMA_SYNC);
  MPI_Put(&value, 1, MPI_INT, world.rank, 0, 1, MPI_INT, win);
  CHECK_EQ(class_of(MPI_Win_lock_all(0, win)), MPI_ERR_RMA_SYNC);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

MPI_CASE("only the group of an access epoch may be accessed", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kAllocate, world.size);
  const ReturnErrorsOn quiet(win);
  Access access{win};
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  CHECK_EQ(access.put(0, win.at(0, world.rank)), MPI_SUCCESS);
  CHECK_EQ(access.put(1), MPI_ERR_RMA_SYNC);
  MPI_Win_unlock(0, win);
}

MPI_CASE("accesses beyond the window are MPI_ERR_RMA_RANGE", 1, 4) {
  for (const WindowKind kind : fixed_kinds_of(world)) {
    const WindowOver<int> win(world, kind, 4);
    const ReturnErrorsOn quiet(win);
    MPI_Win_fence(0, win);
    const int next = (world.rank + 1) % world.size;
    std::vector<int> data(8);
    const auto put = [&](MPI_Aint disp, int count) {
      return class_of(MPI_Put(data.data(), count, MPI_INT, next, disp, count, MPI_INT, win));
    };
    CHECK_EQ(put(4, 1), MPI_ERR_RMA_RANGE);
    CHECK_EQ(put(2, 3), MPI_ERR_RMA_RANGE);
    CHECK_EQ(put(MPI_Aint{1} << 62, 1), MPI_ERR_RMA_RANGE);
    CHECK_EQ(put(-1, 1), MPI_ERR_DISP);
    CHECK_EQ(put(4, 0), MPI_SUCCESS);
    CHECK_EQ(put(0, 4), MPI_SUCCESS);
    MPI_Win_fence(0, win);
  }
}

MPI_CASE("wrong arguments answer with their classes", 1, 4) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 4);
  const ReturnErrorsOn quiet(win);
  Access access{win};
  int value = 0;
  MPI_Win_fence(0, win);
  CHECK_EQ(access.put(world.size), MPI_ERR_RANK);
  CHECK_EQ(access.put(-1), MPI_ERR_RANK);
  CHECK_EQ(access.put(0, 0, -1), MPI_ERR_COUNT);
  CHECK_EQ(class_of(MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win)), MPI_ERR_TYPE);
  CHECK_EQ(class_of(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, win)), MPI_ERR_TYPE);
  CHECK_EQ(class_of(MPI_Put(&value, 2, MPI_INT, world.rank, 0, 1, MPI_INT, win)), MPI_ERR_TRUNCATE);
  CHECK_EQ(class_of(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_FLOAT, MPI_SUM, win)), MPI_ERR_TYPE);
  CHECK_EQ(class_of(MPI_Accumulate(&value, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win)), MPI_ERR_OP);
  CHECK_EQ(class_of(MPI_Fetch_and_op(&value, &value, MPI_INT, 0, 0, MPI_OP_NULL, win)), MPI_ERR_OP);
  float real = 0;
  CHECK_EQ(class_of(MPI_Compare_and_swap(&real, &real, &real, MPI_FLOAT, 0, 0, win)), MPI_ERR_TYPE);
  MPI_Win_fence(0, win);
  CHECK_EQ(class_of(MPI_Win_fence(1, win)), MPI_ERR_ASSERT);
  CHECK_EQ(class_of(MPI_Win_lock(1, 0, 0, win)), MPI_ERR_LOCKTYPE);
  CHECK_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, world.size, 0, win)), MPI_ERR_RANK);
  CHECK_EQ(class_of(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOSUCCEED, win)), MPI_ERR_ASSERT);
  CHECK_EQ(class_of(MPI_Win_attach(win, &value, sizeof value)), MPI_ERR_RMA_FLAVOR);
}

MPI_CASE("a user's operator is no accumulate's", 1, 2) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  const ReturnErrorsOn quiet(win);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  int value = 0;
  MPI_Win_fence(0, win);
  CHECK_EQ(class_of(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, op, win)), MPI_ERR_OP);
  MPI_Win_fence(0, win);
  MPI_Op_free(&op);
}

MPI_CASE("windows that cannot be made answer with their classes", 1, 4) {
  const ReturnErrors quiet(world.comm);
  MPI_Win win = MPI_WIN_NULL;
  int memory = 0;
  CHECK_EQ(class_of(MPI_Win_create(&memory, -1, 1, MPI_INFO_NULL, world.comm, &win)), MPI_ERR_SIZE);
  CHECK_EQ(class_of(MPI_Win_create(&memory, 4, 0, MPI_INFO_NULL, world.comm, &win)), MPI_ERR_DISP);
  CHECK_EQ(class_of(MPI_Win_create(nullptr, 4, 1, MPI_INFO_NULL, world.comm, &win)), MPI_ERR_BASE);
  CHECK_EQ(class_of(MPI_Win_create(&memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win)), MPI_ERR_COMM);
  CHECK(win == MPI_WIN_NULL);
  CHECK_EQ(class_of(MPI_Win_fence(0, MPI_WIN_NULL)), MPI_ERR_WIN);
  void* base = nullptr;
  const MPI_Aint too_much = MPI_Aint{1} << 55;
  CHECK_EQ(class_of(MPI_Win_allocate(too_much, 1, MPI_INFO_NULL, world.comm, &base, &win)), MPI_ERR_NO_MEM);
}

}  // namespace
}  // namespace starling::tests
