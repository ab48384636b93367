// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How windows are made, what they say of themselves, and that they go without a trace (MPI-5.0, 12.2).
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "mpi/rma/windows.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

template <typename T>
T attribute(MPI_Win win, int key) {
  T* value = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, key, &value, &found);
  return found != 0 ? *value : T{-1};
}

void* base_attribute(MPI_Win win) {
  void* base = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &found);
  return base;
}

MPI_CASE("a window has the attributes of its making", 1, 8) {
  constexpr int kFlavors[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_SHARED,
                              MPI_WIN_FLAVOR_DYNAMIC};
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<double> win(world, kind, 5);
    CHECK_EQ(attribute<int>(win, MPI_WIN_CREATE_FLAVOR), kFlavors[static_cast<int>(kind)]);
    CHECK_EQ(attribute<int>(win, MPI_WIN_MODEL), MPI_WIN_UNIFIED);
    const bool dynamic = kind == WindowKind::kDynamic;
    CHECK(base_attribute(win) == (dynamic ? MPI_BOTTOM : win.data()));
    CHECK_EQ(attribute<MPI_Aint>(win, MPI_WIN_SIZE), dynamic ? 0 : static_cast<MPI_Aint>(5 * sizeof(double)));
    CHECK_EQ(attribute<int>(win, MPI_WIN_DISP_UNIT), dynamic ? 1 : static_cast<int>(sizeof(double)));
  }
}

MPI_CASE("predefined attributes of windows cannot be set", 1, 2) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  const ReturnErrorsOn quiet(win);
  int value = 0;
  CHECK_EQ(class_of(MPI_Win_set_attr(win, MPI_WIN_SIZE, &value)), MPI_ERR_KEYVAL);
  CHECK_EQ(class_of(MPI_Win_delete_attr(win, MPI_WIN_BASE)), MPI_ERR_KEYVAL);
}

MPI_CASE("memory of MPI_Alloc_mem is a window like any other, and can be freed and had again", 2, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (const int elements : {1, 1000, 300'000}) {
    long* memory = nullptr;
    const auto bytes = static_cast<MPI_Aint>(sizeof(long)) * elements;
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
    std::fill_n(memory, elements, 7L);
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create(memory, bytes, sizeof(long), MPI_INFO_NULL, world.comm, &win);
    const std::vector<long> mine(static_cast<std::size_t>(elements), world.rank);
    MPI_Win_fence(0, win);
    MPI_Accumulate(mine.data(), elements, MPI_LONG, next, 0, elements, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(memory[0], 7L + previous);
    CHECK_EQ(memory[elements - 1], 7L + previous);
    MPI_Win_fence(0, win);
    MPI_Put(mine.data(), elements, MPI_LONG, next, 0, elements, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(memory[elements / 2], previous);
    std::vector<long> got(mine.size());
    MPI_Get(got.data(), elements, MPI_LONG, next, 0, elements, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(got.back(), world.rank);
    MPI_Win_free(&win);
    MPI_Free_mem(memory);
  }
}

MPI_CASE("each rank gives its own size and displacement unit", 2, 8) {
  const int unit = world.rank + 1;
  std::vector<unsigned char> memory(static_cast<std::size_t>(10 * unit));
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), unit, MPI_INFO_NULL, world.comm, &win);
  MPI_Win_fence(0, win);
  const int next = (world.rank + 1) % world.size;
  const auto mark = static_cast<unsigned char>(50 + world.rank);
  MPI_Put(&mark, 1, MPI_BYTE, next, 9, 1, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  const int previous = (world.rank + world.size - 1) % world.size;
  CHECK_EQ(memory[static_cast<std::size_t>(9 * unit)], 50 + previous);
  MPI_Win_free(&win);
  CHECK(win == MPI_WIN_NULL);
}

MPI_NODE_CASE("the parts of a shared window follow each other without a gap", 1, 8) {
  char* mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const MPI_Aint size = 7 + world.rank;
  MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, world.comm, &mine, &win);
  const char* expected = nullptr;
  for (int rank = 0; rank < world.size; ++rank) {
    char* part = nullptr;
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(win, rank, &bytes, &unit, &part);
    CHECK_EQ(bytes, 7 + rank);
    CHECK_EQ(unit, 1);
    if (rank > 0) CHECK(part == expected);
    if (rank == world.rank) CHECK(part == mine);
    expected = part + bytes;
  }
  MPI_Win_free(&win);
}

MPI_NODE_CASE("alloc_shared_noncontig puts each part on pages of its own", 2, 8) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  const WindowOver<int> win(world, WindowKind::kShared, 3, info);
  MPI_Info_free(&info);
  CHECK_EQ(reinterpret_cast<std::uintptr_t>(win.data()) % 4096, 0u);
}

MPI_NODE_CASE("stores into a shared window are what others load", 2, 8) {
  const WindowOver<int> win(world, WindowKind::kShared, 4);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  win[2] = 100 + world.rank;
  MPI_Win_sync(win);
  MPI_Barrier(world.comm);
  MPI_Win_sync(win);
  for (int rank = 0; rank < world.size; ++rank) {
    int* part = nullptr;
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(win, rank, &bytes, &unit, &part);
    CHECK_EQ(part[2], 100 + rank);
  }
  MPI_Win_unlock_all(win);
}

MPI_NODE_CASE("a shared query of MPI_PROC_NULL answers with the first part that has memory", 2, 8) {
  int* mine = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const MPI_Aint size = world.rank == 0 ? 0 : static_cast<MPI_Aint>(sizeof(int)) * world.rank;
  MPI_Win_allocate_shared(size, sizeof(int), MPI_INFO_NULL, world.comm, &mine, &win);
  int* first = nullptr;
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first);
  CHECK_EQ(bytes, static_cast<MPI_Aint>(sizeof(int)));
  CHECK_EQ(unit, static_cast<int>(sizeof(int)));
  if (world.rank == 1) CHECK(first == mine);
  MPI_Win_free(&win);
}

MPI_NODE_CASE("a shared query of MPI_PROC_NULL where no part has memory answers with none", 1, 8) {
  for (const bool shared : {true, false}) {
    int value = 0;
    int* mine = &value;
    MPI_Win win = MPI_WIN_NULL;
    if (shared) {
      MPI_Win_allocate_shared(0, 4, MPI_INFO_NULL, world.comm, &mine, &win);
    } else {
      MPI_Win_create(mine, 0, 4, MPI_INFO_NULL, world.comm, &win);
    }
    for (const int rank : {int{MPI_PROC_NULL}, world.rank}) {
      int* first = &value;
      MPI_Aint bytes = -1;
      int unit = 0;
      MPI_Win_shared_query(win, rank, &bytes, &unit, &first);
      CHECK_EQ(bytes, 0);
      CHECK_EQ(unit, 4);
      CHECK(first == nullptr);
    }
    MPI_Win_free(&win);
  }
}

MPI_CASE("a shared query of MPI_PROC_NULL answers as for the lowest rank with memory, reached or not", 2, 8) {
  int mine = 0;
  MPI_Win win = MPI_WIN_NULL;
  const int with_memory = world.size > 2 ? 1 : 0;
  const MPI_Aint size = world.rank < with_memory ? 0 : static_cast<MPI_Aint>(sizeof mine);
  MPI_Win_create(&mine, size, world.rank + 1, MPI_INFO_NULL, world.comm, &win);
  int* part[2] = {nullptr, nullptr};
  MPI_Aint bytes[2] = {-1, -1};
  int unit[2] = {-1, -1};
  MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes[0], &unit[0], &part[0]);
  MPI_Win_shared_query(win, with_memory, &bytes[1], &unit[1], &part[1]);
  CHECK_EQ(bytes[0], bytes[1]);
  CHECK_EQ(unit[0], with_memory + 1);
  CHECK_EQ(unit[1], with_memory + 1);
  CHECK(part[0] == part[1]);
  if (world.rank == with_memory) CHECK(part[0] == &mine);
  MPI_Win_free(&win);
}

MPI_CASE("a shared query of a dynamic window is MPI_ERR_RMA_FLAVOR", 1, 2) {
  const WindowOver<int> win(world, WindowKind::kDynamic, 1);
  const ReturnErrorsOn quiet(win);
  int* part = nullptr;
  MPI_Aint bytes = 0;
  int unit = 0;
  CHECK_EQ(class_of(MPI_Win_shared_query(win, 0, &bytes, &unit, &part)), MPI_ERR_RMA_FLAVOR);
}

MPI_CASE("parts may be empty", 1, 8) {
  for (const WindowKind kind : fixed_kinds_of(world)) {
    const WindowOver<int> win(world, kind, world.rank % 2);
    MPI_Win_fence(0, win);
    int value = world.rank;
    for (int rank = 1; rank < world.size; rank += 2) {
      if (world.rank == 0) MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    }
    MPI_Put(nullptr, 0, MPI_INT, 0, 0, 0, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (world.rank % 2 == 1) CHECK_EQ(win[0], 0);
  }
}

MPI_CASE("a window keeps the group of its communicator, its name and its info", 1, 8) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "same_size", "true");
  const WindowOver<int> win(world, WindowKind::kAllocate, 1, info);
  MPI_Info_free(&info);
  MPI_Group of_window = MPI_GROUP_NULL;
  MPI_Group of_comm = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &of_window);
  MPI_Comm_group(world.comm, &of_comm);
  int result = MPI_UNEQUAL;
  MPI_Group_compare(of_window, of_comm, &result);
  CHECK_EQ(result, MPI_IDENT);
  MPI_Group_free(&of_window);
  MPI_Group_free(&of_comm);

  char name[MPI_MAX_OBJECT_NAME] = "?";
  int length = -1;
  MPI_Win_get_name(win, name, &length);
  CHECK_EQ(length, 0);
  MPI_Win_set_name(win, "halo");
  MPI_Win_get_name(win, name, &length);
  CHECK_EQ(std::string(name), "halo");

  MPI_Win_get_info(win, &info);
  char value[16] = "";
  int room = sizeof value;
  int found = 0;
  MPI_Info_get_string(info, "same_size", &room, value, &found);
  CHECK(found != 0);
  CHECK_EQ(std::string(value), "true");
  MPI_Info_free(&info);
}

MPI_CASE("the delete function of an attribute runs when the window is freed", 1, 4) {
  int deleted = 0;
  int key = MPI_KEYVAL_INVALID;
  MPI_Win_create_keyval(
      MPI_WIN_NULL_COPY_FN,
      [](MPI_Win, int, void* value, void* extra) -> int {
        *static_cast<int*>(extra) += *static_cast<int*>(value);
        return MPI_SUCCESS;
      },
      &key, &deleted);
  int value = 5;
  {
    const WindowOver<int> win(world, WindowKind::kAllocate, 1);
    MPI_Win_set_attr(win, key, &value);
    int* got = nullptr;
    int found = 0;
    MPI_Win_get_attr(win, key, &got, &found);
    CHECK(found != 0 && got == &value);
    MPI_Win_free_keyval(&key);
    CHECK_EQ(deleted, 0);
  }
  CHECK_EQ(deleted, 5);
}

thread_local int heard = 0;
thread_local MPI_Win heard_about = MPI_WIN_NULL;

void hear(MPI_Win* win, int* code, ...) {
  heard_about = *win;
  heard = class_of(*code);
}

MPI_CASE("a window's own error handler hears of its errors", 1, 2) {
  const WindowOver<int> win(world, WindowKind::kAllocate, 1);
  heard = 0;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_errhandler(hear, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
  CHECK_EQ(heard, MPI_ERR_OTHER);
  CHECK(heard_about == win);
  int value = 0;
  MPI_Put(&value, 1, MPI_INT, world.size, 0, 1, MPI_INT, win);
  CHECK_EQ(heard, MPI_ERR_RANK);
  MPI_Win_get_errhandler(win, &handler);
  CHECK(handler != MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

int mappings() {
  std::ifstream maps("/proc/self/maps");
  int lines = 0;
  for (std::string line; std::getline(maps, line);) lines += line.find("starling") != std::string::npos ? 1 : 0;
  return lines;
}

MPI_NODE_CASE("windows that come and go leave no memory behind", 1, 8) {
  if (world.ranks_are == RanksAre::kThreads) return;
  const int before = mappings();
  for (int round = 0; round < 60; ++round) {
    const WindowOver<char> first(world, WindowKind::kAllocate, 100000);
    const WindowOver<char> second(world, WindowKind::kShared, 5000);
    first[99999] = 1;
    second[4999] = 1;
  }
  MPI_Barrier(world.comm);
  CHECK_EQ(mappings(), before);
}

MPI_CASE("memory of a new window holds nothing that an old one left in another's part", 2, 8) {
  for (int round = 0; round < 5; ++round) {
    const WindowOver<int> win(world, WindowKind::kAllocate, 2000);
    MPI_Win_fence(0, win);
    std::vector<int> data(2000, round * 100 + world.rank);
    MPI_Put(data.data(), 2000, MPI_INT, (world.rank + 1) % world.size, 0, 2000, MPI_INT, win);
    MPI_Win_fence(0, win);
    const int previous = (world.rank + world.size - 1) % world.size;
    CHECK_EQ(win[0], round * 100 + previous);
    CHECK_EQ(win[1999], round * 100 + previous);
  }
}

MPI_CASE("a program may make a window before another rank has begun", 1, 8) {
  MPI_Win win = MPI_WIN_NULL;
  int* mine = nullptr;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &mine, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  const int value = 8;
  MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
  CHECK_EQ(*mine, 8);
  MPI_Win_free(&win);
}

}  // namespace
}  // namespace starling::tests
