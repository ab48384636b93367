// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Accumulates: every operator on every kind of type, atomic for each element, ordered for each origin (MPI-5.0, 12.3.4
// and 12.7).
#include <algorithm>
#include <cstring>

#include "mpi/rma/windows.hpp"
#include "support/errors.hpp"

namespace starling::tests {
namespace {

constexpr int kElements = 9;
constexpr int kRoomBytes = 512;

const MPI_Op kOps[] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_BAND,   MPI_BOR,
                       MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC};
const MPI_Datatype kTypes[] = {
    MPI_CHAR,   MPI_INT8_T,      MPI_UINT16_T,         MPI_INT,      MPI_LONG,      MPI_FLOAT,
    MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX, MPI_C_BOOL,   MPI_BYTE,      MPI_AINT,
    MPI_2INT,   MPI_FLOAT_INT,   MPI_DOUBLE_INT,       MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT};

bool is_defined(MPI_Op op, MPI_Datatype type) {
  alignas(16) unsigned char in[64] = {};
  alignas(16) unsigned char out[64] = {};
  return MPI_Reduce_local(in, out, 1, type, op) == MPI_SUCCESS;
}

/// Small whole numbers in an array of elements of any predefined type.
void fill(void* data, MPI_Datatype type, int count, int seed) {
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lb, &extent);
  std::memset(data, 0, static_cast<std::size_t>(extent) * static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    auto* element = static_cast<unsigned char*>(data) + i * extent;
    const int value = (seed * 7 + i * 3) % 5 + 1;
    if (type == MPI_FLOAT || type == MPI_FLOAT_INT) {
      const auto real = static_cast<float>(value);
      std::memcpy(element, &real, sizeof real);
    } else if (type == MPI_DOUBLE || type == MPI_DOUBLE_INT || type == MPI_C_DOUBLE_COMPLEX) {
      const double real = value;
      std::memcpy(element, &real, sizeof real);
    } else if (type == MPI_LONG_DOUBLE || type == MPI_LONG_DOUBLE_INT) {
      const long double real = value;
      std::memcpy(element, &real, sizeof real);
    } else {
      element[0] = static_cast<unsigned char>(type == MPI_C_BOOL ? value % 2 : value);
    }
    const struct {
      MPI_Datatype type;
      std::size_t index_at;
    } pairs[] = {{MPI_2INT, 4},     {MPI_FLOAT_INT, 4}, {MPI_DOUBLE_INT, 8},
                 {MPI_LONG_INT, 8}, {MPI_SHORT_INT, 4}, {MPI_LONG_DOUBLE_INT, sizeof(long double)}};
    const int index = (seed + i) % 4;
    for (const auto& pair : pairs) {
      if (pair.type == type) std::memcpy(element + pair.index_at, &index, sizeof index);
    }
  }
}

/// Whether two arrays have the same data; gaps do not count.
bool same(const void* a, const void* b, MPI_Datatype type, int count) {
  std::vector<char> packed[2];
  for (int i = 0; i < 2; ++i) {
    int bytes = 0;
    int position = 0;
    MPI_Pack_size(count, type, MPI_COMM_SELF, &bytes);
    packed[i].assign(static_cast<std::size_t>(bytes), 0);
    MPI_Pack(i == 0 ? a : b, count, type, packed[i].data(), bytes, &position, MPI_COMM_SELF);
    packed[i].resize(static_cast<std::size_t>(position));
  }
  if (type != MPI_LONG_DOUBLE && type != MPI_LONG_DOUBLE_INT) return packed[0] == packed[1];
  // The padding inside a long double is nobody's.
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lb, &extent);
  for (int i = 0; i < count; ++i) {
    long double values[2];
    std::memcpy(&values[0], static_cast<const char*>(a) + i * extent, sizeof(long double));
    std::memcpy(&values[1], static_cast<const char*>(b) + i * extent, sizeof(long double));
    if (values[0] != values[1]) return false;
  }
  return true;
}

struct Numbers {
  alignas(16) unsigned char bytes[kRoomBytes] = {};
};

/// One operator on one type at the next rank, with and without the old values; MPI_Reduce_local says what is right.
void check_operator(Context& world, MPI_Win win, unsigned char* memory, MPI_Aint place, MPI_Op op, MPI_Datatype type) {
  const int next = (world.rank + 1) % world.size;
  Numbers initial;
  Numbers mine;
  Numbers theirs;
  Numbers old;
  fill(initial.bytes, type, kElements, 3);
  fill(mine.bytes, type, kElements, 10 + world.rank);
  fill(theirs.bytes, type, kElements, 10 + (world.rank + world.size - 1) % world.size);
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lb, &extent);
  std::memcpy(memory, initial.bytes, static_cast<std::size_t>(extent * kElements));
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(mine.bytes, kElements, type, old.bytes, kElements, type, next, place, kElements, type, op, win);
  MPI_Win_fence(0, win);
  CHECK(same(old.bytes, initial.bytes, type, kElements));
  Numbers expected = initial;
  MPI_Reduce_local(theirs.bytes, expected.bytes, kElements, type, op);
  CHECK(same(memory, expected.bytes, type, kElements));
  MPI_Win_fence(0, win);
  MPI_Accumulate(mine.bytes, kElements, type, next, place, kElements, type, op, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Reduce_local(theirs.bytes, expected.bytes, kElements, type, op);
  if (!CHECK(same(memory, expected.bytes, type, kElements))) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    MPI_Type_get_name(type, name, &length);
    FAIL(std::string("wrong with ") + name);
  }
  MPI_Barrier(world.comm);
}

MPI_CASE("every operator combines every type that it takes", 1, 4) {
  const ReturnErrors quiet(world.comm);
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<Numbers> win(world, kind, 1);
    const int next = (world.rank + 1) % world.size;
    for (const MPI_Op op : kOps) {
      for (const MPI_Datatype type : kTypes) {
        if (is_defined(op, type)) check_operator(world, win, win.data()->bytes, win.at(next, 0), op, type);
      }
    }
  }
}

MPI_CASE("MPI_REPLACE swaps and MPI_NO_OP reads, whatever the type", 1, 4) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<Numbers> win(world, kind, 1);
    const int next = (world.rank + 1) % world.size;
    const int previous = (world.rank + world.size - 1) % world.size;
    for (const MPI_Datatype type : kTypes) {
      Numbers first;
      Numbers mine;
      Numbers old;
      fill(first.bytes, type, kElements, 1);
      fill(mine.bytes, type, kElements, 20 + world.rank);
      std::memcpy(win.data(), first.bytes, sizeof first);
      MPI_Win_fence(0, win);
      MPI_Get_accumulate(mine.bytes, kElements, type, old.bytes, kElements, type, next, win.at(next, 0), kElements,
                         type, MPI_REPLACE, win);
      MPI_Win_fence(0, win);
      CHECK(same(old.bytes, first.bytes, type, kElements));
      fill(first.bytes, type, kElements, 20 + previous);
      CHECK(same(win.data(), first.bytes, type, kElements));
      MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL, old.bytes, kElements, type, next, win.at(next, 0), kElements,
                         type, MPI_NO_OP, win);
      MPI_Win_fence(0, win);
      CHECK(same(old.bytes, mine.bytes, type, kElements));
      MPI_Fetch_and_op(nullptr, old.bytes, type, next, win.at(next, 0), MPI_NO_OP, win);
      MPI_Win_fence(0, win);
      CHECK(same(old.bytes, mine.bytes, type, 1));
    }
  }
}

/// Every rank adds one, again and again; each old value is seen by one rank once.
template <typename T>
void check_counter(Context& world, WindowKind kind, MPI_Datatype type) {
  constexpr int kRounds = 100;
  const WindowOver<T> win(world, kind, 1);
  std::vector<long> seen;
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < kRounds; ++round) {
    const T one = 1;
    T old = 0;
    MPI_Fetch_and_op(&one, &old, type, 0, win.at(0, 0), MPI_SUM, win);
    MPI_Win_flush(0, win);
    seen.push_back(static_cast<long>(old));
  }
  MPI_Win_unlock_all(win);
  std::vector<long> all(static_cast<std::size_t>(kRounds * world.size));
  MPI_Allgather(seen.data(), kRounds, MPI_LONG, all.data(), kRounds, MPI_LONG, world.comm);
  std::sort(all.begin(), all.end());
  for (int i = 0; i < kRounds * world.size; ++i) CHECK_EQ(all[static_cast<std::size_t>(i)], i);
}

MPI_CASE("fetch_and_op counts every rank once", 1, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    check_counter<std::int64_t>(world, kind, MPI_INT64_T);
    check_counter<std::int32_t>(world, kind, MPI_INT32_T);
    check_counter<std::int16_t>(world, kind, MPI_INT16_T);
    check_counter<double>(world, kind, MPI_DOUBLE);
    check_counter<long double>(world, kind, MPI_LONG_DOUBLE);
  }
}

MPI_CASE("accumulates of one element and of many exclude each other", 1, 8) {
  constexpr int kCount = 6000;
  constexpr int kRounds = 20;
  for (const WindowKind kind : {WindowKind::kCreate, WindowKind::kAllocate}) {
    const WindowOver<long> win(world, kind, kCount);
    const std::vector<long> ones(kCount, 1);
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < kRounds; ++round) {
      if ((world.rank + round) % 2 == 0) {
        MPI_Accumulate(ones.data(), kCount, MPI_LONG, 0, win.at(0, 0), kCount, MPI_LONG, MPI_SUM, win);
      } else {
        for (int i = 0; i < kCount; ++i) {
          if (i % 37 == 0) MPI_Accumulate(ones.data(), 1, MPI_LONG, 0, win.at(0, i), 1, MPI_LONG, MPI_SUM, win);
        }
      }
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(world.comm);
    if (world.rank == 0) {
      CHECK_EQ(win[37], static_cast<long>(kRounds) * world.size);
      const long bulk = win[1];
      for (int i = 0; i < kCount; ++i) CHECK_EQ(win[i], i % 37 == 0 ? static_cast<long>(kRounds) * world.size : bulk);
    }
  }
}

template <typename T>
void check_swaps(Context& world, WindowKind kind, MPI_Datatype type) {
  const WindowOver<T> win(world, kind, 1);
  MPI_Win_lock_all(0, win);
  // Each rank waits for its number and writes the next: everybody gets a turn, in order.
  const T mine = static_cast<T>(world.rank);
  const T next = static_cast<T>(world.rank + 1);
  T found = static_cast<T>(-1);
  while (found != mine) {
    MPI_Compare_and_swap(&next, &mine, &found, type, 0, win.at(0, 0), win);
    MPI_Win_flush(0, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(world.comm);
  if (world.rank == 0) CHECK_EQ(static_cast<int>(win[0]), world.size);
}

MPI_CASE("compare_and_swap writes only what it expects", 1, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    check_swaps<std::int8_t>(world, kind, MPI_INT8_T);
    check_swaps<std::uint16_t>(world, kind, MPI_UINT16_T);
    check_swaps<int>(world, kind, MPI_INT);
    check_swaps<std::int64_t>(world, kind, MPI_INT64_T);
    check_swaps<MPI_Aint>(world, kind, MPI_AINT);
  }
}

MPI_CASE("accumulates of one origin apply in the order of the calls", 2, 8) {
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<int> win(world, kind, world.size);
    MPI_Win_lock_all(0, win);
    for (int value = 1; value <= 50; ++value) {
      int old = -1;
      MPI_Accumulate(&value, 1, MPI_INT, 0, win.at(0, world.rank), 1, MPI_INT, MPI_REPLACE, win);
      MPI_Get_accumulate(nullptr, 0, MPI_INT, &old, 1, MPI_INT, 0, win.at(0, world.rank), 1, MPI_INT, MPI_NO_OP, win);
      MPI_Win_flush(0, win);
      CHECK_EQ(old, value);
    }
    MPI_Win_unlock_all(win);
  }
}

MPI_CASE("accumulates take derived types of one predefined type on every side", 1, 4) {
  constexpr int kRows = 50;
  for (const WindowKind kind : kinds_of(world)) {
    const WindowOver<double> win(world, kind, 3 * kRows);
    for (int i = 0; i < 3 * kRows; ++i) win[i] = i;
    MPI_Datatype every_third = MPI_DATATYPE_NULL;
    MPI_Datatype every_second = MPI_DATATYPE_NULL;
    MPI_Type_vector(kRows, 1, 3, MPI_DOUBLE, &every_third);
    MPI_Type_vector(kRows, 1, 2, MPI_DOUBLE, &every_second);
    MPI_Type_commit(&every_third);
    MPI_Type_commit(&every_second);
    std::vector<double> origin(2 * kRows);
    std::vector<double> old(3 * kRows, -1);
    for (int i = 0; i < 2 * kRows; ++i) origin[static_cast<std::size_t>(i)] = 1000 + i;
    const int next = (world.rank + 1) % world.size;
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(origin.data(), 1, every_second, old.data(), kRows, MPI_DOUBLE, next, win.at(next, 0), 1,
                       every_third, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < kRows; ++i) {
      CHECK_EQ(old[static_cast<std::size_t>(i)], 3.0 * i);
      CHECK_EQ(win[3 * i], 3.0 * i + 1000 + 2 * i);
      CHECK_EQ(win[3 * i + 1], 3.0 * i + 1);
    }
    MPI_Type_free(&every_third);
    MPI_Type_free(&every_second);
  }
}

}  // namespace
}  // namespace starling::tests
