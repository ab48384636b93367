// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Calls with a root while a rank is late: off the root the buffers, counts and types that do not count there may be
// anything, and nobody writes what a rank gives (MPI-5.0, 6.2 and 6.9.1). What is given lies in memory that cannot be
// written, so that whoever tries is killed. Prints "all right" at the end.
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kCount = 30000;  // of four bytes: long enough to go around whoever is late
constexpr int kRepeats = 9;

int rank;
int size;

void check(bool good, const char* what, int repeat) {
  if (good) return;
  std::fprintf(stderr, "rank %d, repeat %d: %s is wrong\n", rank, repeat, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// The last rank is always late.
void compute() { usleep(rank == size - 1 ? 8000 : 500); }

/// Numbers that nobody can write while they are locked.
class Locked {
 public:
  explicit Locked(int count)
      : bytes_(static_cast<std::size_t>(count) * sizeof(int)),
        data_(static_cast<int*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (data_ == MAP_FAILED) std::abort();
  }
  ~Locked() { munmap(data_, bytes_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

  int* data() { return data_; }
  void lock() { mprotect(data_, bytes_, PROT_READ); }
  void unlock() { mprotect(data_, bytes_, PROT_READ | PROT_WRITE); }
  void fill(int value) {
    for (std::size_t i = 0; i < bytes_ / sizeof(int); ++i) data_[i] = value;
  }
  bool holds(int value, int count) const {
    for (int i = 0; i < count; ++i) {
      if (data_[i] != value) return false;
    }
    return true;
  }

 private:
  std::size_t bytes_;
  int* data_;
};

/// What may stand where nothing is looked at: no buffer, a place that is none, the own input, memory of others.
void* anything(int repeat, void* own) {
  void* const kinds[] = {own, nullptr, reinterpret_cast<void*>(std::uintptr_t{16})};
  return kinds[repeat % 3];
}

bool in_place(int root, int repeat) {
#if defined(MPICH)
  if (root != 0) return false;  // MPICH 4.0.2 crashes by itself then
#endif
  return root >= 0 && repeat % 2 == 0;
}

void reduce(int root) {
  Locked mine(kCount);
  Locked result(kCount);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const bool at_root = rank == root;
    mine.unlock();
    mine.fill(rank + repeat);
    result.fill(rank + repeat);
    mine.lock();
    compute();
    // MPI_Reduce(rank == 0 ? MPI_IN_PLACE : x, x, ...) is what programs write.
    const void* send = at_root && in_place(root, repeat) ? MPI_IN_PLACE : mine.data();
    void* receive = at_root ? result.data() : anything(repeat, mine.data());
    MPI_Reduce(send, receive, kCount, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    check(mine.holds(rank + repeat, kCount), "the input of a reduce", repeat);
    if (at_root) check(result.holds(size * (size - 1) / 2 + size * repeat, kCount), "a reduce", repeat);
  }
}

constexpr std::uintptr_t kFixed = std::uintptr_t{1} << 45;  // an address that no process uses

void add_there(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* from = reinterpret_cast<const int*>(static_cast<char*>(in) + kFixed);
  auto* into = reinterpret_cast<int*>(static_cast<char*>(inout) + kFixed);
  for (int i = 0; i < *length; ++i) into[i] += from[i];
}

/// The buffer is no address at all: the type has it.
void reduce_from_bottom(int root) {
  void* where = reinterpret_cast<void*>(kFixed);
  const std::size_t bytes = kCount * sizeof(int);
  auto* mine = static_cast<int*>(
      mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  check(mine == where, "the place of the numbers", 0);
  MPI_Datatype there = MPI_DATATYPE_NULL;
  MPI_Datatype number = MPI_DATATYPE_NULL;
  const MPI_Aint place = static_cast<MPI_Aint>(kFixed);
  MPI_Type_create_hindexed_block(1, 1, &place, MPI_INT, &there);
  MPI_Type_create_resized(there, place, sizeof(int), &number);
  MPI_Type_commit(&number);
  MPI_Op add = MPI_OP_NULL;
  MPI_Op_create(add_there, 1, &add);
  std::vector<int> result(kCount);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    for (int i = 0; i < kCount; ++i) mine[i] = rank + repeat;
    compute();
    MPI_Reduce(MPI_BOTTOM, reinterpret_cast<char*>(result.data()) - kFixed, kCount, number, add, root, MPI_COMM_WORLD);
    check(mine[7] == rank + repeat, "an input at MPI_BOTTOM", repeat);
    if (rank == root) check(result[7] == size * (size - 1) / 2 + size * repeat, "a reduce from MPI_BOTTOM", repeat);
  }
  MPI_Op_free(&add);
  MPI_Type_free(&number);
  MPI_Type_free(&there);
  munmap(where, bytes);
}

void bcast(int root) {
  Locked values(kCount);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    values.unlock();
    values.fill(rank == root ? repeat : -1);
#if !defined(MPICH)  // which writes what is there already
    if (rank == root) values.lock();
#endif
    compute();
    MPI_Bcast(values.data(), kCount, MPI_INT, root, MPI_COMM_WORLD);
    check(values.holds(repeat, kCount), "a bcast", repeat);
  }
}

void gather(int root) {
  Locked mine(kCount);
  Locked all(kCount * size);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const bool at_root = rank == root;
    mine.unlock();
    mine.fill(rank + repeat);
    mine.lock();
    all.fill(-1);
    compute();
    // Off the root neither count nor type of what is received says anything.
    const int counts = at_root ? kCount : -7;
    const MPI_Datatype type = at_root ? MPI_INT : MPI_DATATYPE_NULL;
    MPI_Gather(mine.data(), kCount, MPI_INT, at_root ? all.data() : anything(repeat, mine.data()), counts, type, root,
               MPI_COMM_WORLD);
    check(mine.holds(rank + repeat, kCount), "the input of a gather", repeat);
    for (int from = 0; from < size && at_root; ++from) {
      check(all.data()[kCount * from + 5] == from + repeat, "a gather", repeat);
    }
    std::vector<int> each(static_cast<std::size_t>(size), kCount);
    std::vector<int> places(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) places[static_cast<std::size_t>(i)] = i * kCount;
    compute();
    MPI_Gatherv(mine.data(), kCount, MPI_INT, at_root ? all.data() : anything(repeat, mine.data()),
                at_root ? each.data() : nullptr, at_root ? places.data() : nullptr, type, root, MPI_COMM_WORLD);
    check(mine.holds(rank + repeat, kCount), "the input of a gatherv", repeat);
  }
}

void scatter(int root) {
  Locked all(kCount * size);
  Locked mine(kCount);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const bool at_root = rank == root;
    all.unlock();
    all.fill(rank + repeat);
    all.lock();
    mine.fill(-1);
    compute();
    const int counts = at_root ? kCount : -7;
    const MPI_Datatype type = at_root ? MPI_INT : MPI_DATATYPE_NULL;
    MPI_Scatter(at_root ? all.data() : anything(repeat, mine.data()), counts, type, mine.data(), kCount, MPI_INT, root,
                MPI_COMM_WORLD);
    check(mine.holds(root + repeat, kCount), "a scatter", repeat);
    std::vector<int> each(static_cast<std::size_t>(size), kCount);
    const std::vector<int> places(static_cast<std::size_t>(size));
    mine.fill(-1);
    compute();
    MPI_Scatterv(at_root ? all.data() : anything(repeat, mine.data()), at_root ? each.data() : nullptr,
                 at_root ? places.data() : nullptr, type, mine.data(), kCount, MPI_INT, root, MPI_COMM_WORLD);
    check(mine.holds(root + repeat, kCount), "a scatterv", repeat);
  }
}

/// Nothing to move, so no buffer is needed anywhere.
void nothing() {
  for (int root = 0; root < size; ++root) {
    MPI_Reduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    MPI_Bcast(nullptr, 0, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Gather(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Scatter(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, root, MPI_COMM_WORLD);
  }
  MPI_Allreduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgather(nullptr, 0, MPI_INT, nullptr, 0, MPI_INT, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (const int root : {0, size / 2}) {
    reduce(root);
    reduce_from_bottom(root);
    bcast(root);
    gather(root);
    scatter(root);
  }
  nothing();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("all right");
  MPI_Finalize();
  return 0;
}
